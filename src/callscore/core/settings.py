"""How strictly two calls are compared: the configuration of a score."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from msgspec import Struct
from msgspec.structs import force_setattr

from callscore.core.argument_rules import ArgumentRule
from callscore.core.tool import Effect
from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from typing import Unpack

    from callscore.core.setting_options import SettingOptions

__all__ = [
    "DEFAULT",
    "Arrays",
    "CountCalls",
    "ExtraArguments",
    "FailedCalls",
    "Mode",
    "NamePart",
    "NestedObjects",
    "Order",
    "RepeatedCalls",
    "Settings",
    "settings_for",
    "settings_from",
]

Order = Literal["any", "in_order", "exact"]
ExtraArguments = Literal["ignore", "count"]
NamePart = Literal["namespace", "dots", "case"]
CountCalls = Literal["all", "writes"]
FailedCalls = Literal["count", "ignore"]
RepeatedCalls = Literal["count", "collapse"]
Arrays = Literal["ordered", "unordered"]
NestedObjects = Literal["equal", "subset"]


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
        count_calls: `all`, or `writes`: only those of tools that may change something.
        failed_calls: whether calls whose result was an error `count`, or to `ignore` them.
        repeated_calls: whether calls that were made before, just so, `count`, or to `collapse` them.
        arrays: whether the items of an array must come `ordered`, or may be `unordered`.
        nested_objects: whether an object inside an argument must be `equal`, or may be a `subset`
            of what was given.
        effects: which tools `read` and which `write`, as patterns in which `*` stands for anything;
            the first that fits decides. They come before what the tools' definitions say. A mapping
            will do: `{"get_*": "read"}`.
        arguments: how single arguments are compared; the first rule that fits decides. A mapping
            will do: `{"book_flight.date": "date", "*.request_id": "ignore"}`.
        top_k: of how many of the answers to the same question the best one counts.
        similarity: how alike two texts are, from 0 to 1, in place of our own measure.
        judge: answers the questions of `$judge`: given the question and the value it returns
            whether the value will do, or how well (0 to 1), or one of these and a reason.
    """

    mode: Mode | str = Mode.STRICT
    argument_match_threshold: float = 0.8
    order: Order = "any"
    extra_arguments: ExtraArguments = "ignore"
    at_least: float = 1.0
    strip_prefix: tuple[str, ...] = ()
    normalise_name: tuple[NamePart, ...] = ()
    count_calls: CountCalls = "all"
    failed_calls: FailedCalls = "count"
    repeated_calls: RepeatedCalls = "count"
    arrays: Arrays = "ordered"
    nested_objects: NestedObjects = "equal"
    effects: tuple[tuple[str, Effect], ...] = ()
    arguments: tuple[ArgumentRule, ...] = ()
    top_k: int = 1
    similarity: Callable[[str, str], float] | None = None
    judge: Callable[[str, Any], Any] | None = None

    @property
    def has_rules(self) -> bool:
        """Whether they ask for anything but equal values."""
        return bool(self.arguments or self.arrays != "ordered" or self.nested_objects != "equal")

    def __post_init__(self) -> None:
        for setting, choices in _CHOICES.items():
            _require_choice(setting, getattr(self, setting), choices)
        _require_share("argument_match_threshold", self.argument_match_threshold)
        _require_share("at_least", self.at_least)
        _require_texts("strip_prefix", self.strip_prefix)
        _require_texts("normalise_name", self.normalise_name)
        for part in self.normalise_name:
            _require_choice("normalise_name", part, get_args(NamePart))
        if self.effects != ():
            force_setattr(self, "effects", _effects(self.effects))
        if self.arguments != ():
            from callscore.core.argument_rules import argument_rules  # few have rules

            force_setattr(self, "arguments", argument_rules(self.arguments))
        _require_count("top_k", self.top_k)
        _require_callable("similarity", self.similarity)
        _require_callable("judge", self.judge)

    @classmethod
    def preset(cls, name: str, **options: Unpack[SettingOptions]) -> Settings:
        """The settings of a preset (`strict`, `flexible`, `outcome`), with single ones changed.

        Raises:
            InvalidSettings: there is no such preset or setting, or one has a value it cannot have.
        """
        return settings_from(options, preset=name)


_CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "mode": tuple(Mode),
    "order": get_args(Order),
    "extra_arguments": get_args(ExtraArguments),
    "count_calls": get_args(CountCalls),
    "failed_calls": get_args(FailedCalls),
    "repeated_calls": get_args(RepeatedCalls),
    "arrays": get_args(Arrays),
    "nested_objects": get_args(NestedObjects),
}


def _require_choice(setting: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        from callscore.core.nearest import meant_by

        problem = f"{setting}: {value!r} is not one of {', '.join(choices)}"
        raise InvalidSettings(problem + meant_by(value, choices))


def _require_share(setting: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InvalidSettings(f"{setting}: {value!r} is not a number from 0 to 1")


def _require_texts(setting: str, value: object) -> None:
    if not isinstance(value, tuple) or not all(isinstance(item, str) and item for item in value):
        raise InvalidSettings(f"{setting}: {value!r} is not a tuple of texts")


def _require_count(setting: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InvalidSettings(f"{setting}: {value!r} is not an integer from 1 on")


def _require_callable(setting: str, value: object) -> None:
    if value is not None and not callable(value):
        raise InvalidSettings(f"{setting}: {value!r} cannot be called")


def _effects(value: Any) -> tuple[tuple[str, Effect], ...]:
    """Which tools read and which write, as pairs."""
    pairs = list(value.items()) if isinstance(value, Mapping) else value
    if not isinstance(pairs, list | tuple) or not all(map(_is_pair, pairs)):
        raise InvalidSettings(f'effects: {value!r} is not a mapping such as {{"get_*": "read"}}')
    for pattern, effect in pairs:
        if not isinstance(pattern, str) or not pattern:
            raise InvalidSettings(f"effects: {pattern!r} is not a pattern of tools' names")
        _require_choice(f"effects: {pattern!r}", effect, get_args(Effect))
    return tuple([(pattern, effect) for pattern, effect in pairs])


def _is_pair(value: object) -> bool:
    return isinstance(value, list | tuple) and len(value) == 2  # noqa: PLR2004  (a pair)


DEFAULT = Settings()

_PER_NAME = ("strip_prefix", "normalise_name")


def settings_from(options: Mapping[str, Any], *, preset: str | None = None) -> Settings:
    """The settings that somebody asks for: a preset, and single settings that override it.

    Args:
        options: settings by name; a single text will do where a setting takes several.
        preset: the name of one.

    Raises:
        InvalidSettings: there is no such preset or setting, or one has a value it cannot have.
    """
    values = dict(options)
    for name in values:
        if name not in Settings.__struct_fields__:
            from callscore.core.nearest import meant_by

            hint = meant_by(name, Settings.__struct_fields__)
            raise InvalidSettings(f"there is no setting {name!r}{hint}")
    for name in _PER_NAME:
        if name in values:
            values[name] = _texts(values[name])
    if preset is not None:
        from callscore.core.presets import preset_named  # few name one

        values = {**preset_named(preset), **values}
    return settings_for(**values)


def _texts(value: Any) -> Any:
    if isinstance(value, str):
        return (value,)
    return tuple(value) if isinstance(value, list) else value


# Rules are equal whose options are 1 and True, and what can be called may hold on to anything.
_NOT_REMEMBERED = frozenset({"arguments", "similarity", "judge"})


def settings_for(**values: Any) -> Settings:
    """The settings with these values; the same object for the same values, where that can be."""
    if _NOT_REMEMBERED.isdisjoint(values):
        try:
            return _remembered(**values)
        except TypeError:  # what cannot be looked up: a mapping, say
            pass
    return Settings(**values)


@lru_cache(maxsize=256, typed=True)  # typed: what was 1 before must not let True pass
def _remembered(**values: Any) -> Settings:
    settings = Settings(**values)
    return DEFAULT if settings == DEFAULT else settings  # by which the quick way is known
