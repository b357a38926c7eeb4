"""How strictly two calls are compared: the configuration of a score."""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache
from typing import Any, Literal, get_args

from msgspec import Struct

from callscore.errors import InvalidSettings

__all__ = [
    "DEFAULT",
    "ExtraArguments",
    "Mode",
    "NamePart",
    "Order",
    "Settings",
    "settings_for",
]

Order = Literal["any", "in_order", "exact"]
ExtraArguments = Literal["ignore", "count"]
NamePart = Literal["namespace", "dots", "case"]


class Mode(StrEnum):
    """Whether a call must be equal to the expected one, or only near enough."""

    STRICT = "strict"
    FLEXIBLE = "flexible"


class Settings(Struct, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True):
    """Everything that decides what a score is; the defaults are the strict comparison.

    Attributes:
        mode: `strict` wants equal arguments; `flexible` wants enough of them.
        argument_match_threshold: the overlap from which a flexible pair is correct, 0 to 1.
        order: `any`, `in_order` (pairs do not cross) or `exact` (position by position).
        extra_arguments: whether arguments that nobody expected lower a flexible overlap.
        at_least: the score from which a case passes.
        strip_prefix: what to take off the front of tools' names, as patterns in which `*` stands
            for anything: `mcp__*__`. The first pattern that fits is taken.
        normalise_name: what not to mind in tools' names: `namespace` (what stands before the last
            `.`, `/`, `:` or `__`), `dots` (`.`, `-`, `/` and `:` are as good as `_`), `case`.
    """

    mode: Mode | str = Mode.STRICT
    argument_match_threshold: float = 0.8
    order: Order = "any"
    extra_arguments: ExtraArguments = "ignore"
    at_least: float = 1.0
    strip_prefix: tuple[str, ...] = ()
    normalise_name: tuple[NamePart, ...] = ()

    def __post_init__(self) -> None:
        _require_choice("mode", self.mode, tuple(Mode))
        _require_choice("order", self.order, ("any", "in_order", "exact"))
        _require_choice("extra_arguments", self.extra_arguments, ("ignore", "count"))
        _require_share("argument_match_threshold", self.argument_match_threshold)
        _require_share("at_least", self.at_least)
        _require_texts("strip_prefix", self.strip_prefix)
        _require_texts("normalise_name", self.normalise_name)
        for part in self.normalise_name:
            _require_choice("normalise_name", part, get_args(NamePart))


def _require_choice(setting: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise InvalidSettings(f"{setting}: {value!r} is not one of {', '.join(choices)}")


def _require_share(setting: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InvalidSettings(f"{setting}: {value!r} is not a number from 0 to 1")


def _require_texts(setting: str, value: object) -> None:
    if not isinstance(value, tuple) or not all(isinstance(item, str) and item for item in value):
        raise InvalidSettings(f"{setting}: {value!r} is not a tuple of texts")


DEFAULT = Settings()


@lru_cache(maxsize=256, typed=True)  # typed: what was 1 before must not let True pass
def settings_for(**values: Any) -> Settings:
    """The settings with these values; the same object for the same values."""
    return Settings(**values)
