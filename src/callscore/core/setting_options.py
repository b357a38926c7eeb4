"""The settings as people give them one by one, for type checkers: nothing is done with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from callscore.core.argument_rules import ArgumentRule
    from callscore.core.settings import (
        Arrays,
        CountCalls,
        ExtraArguments,
        FailedCalls,
        Mode,
        NamePart,
        NestedObjects,
        Order,
        RepeatedCalls,
    )
    from callscore.core.tool import Effect

__all__ = ["ComparingOptions", "SettingOptions"]


class ComparingOptions(TypedDict, total=False):
    """All settings but who judges; see `Settings` for what each means."""

    mode: Mode | str
    argument_match_threshold: float
    order: Order
    extra_arguments: ExtraArguments
    at_least: float
    strip_prefix: str | Sequence[str]
    normalise_name: NamePart | Sequence[NamePart]
    count_calls: CountCalls
    failed_calls: FailedCalls
    repeated_calls: RepeatedCalls
    arrays: Arrays
    nested_objects: NestedObjects
    effects: Mapping[str, Effect] | Sequence[tuple[str, Effect]]
    arguments: Mapping[str, Any] | Sequence[ArgumentRule]
    top_k: int
    similarity: Callable[[str, str], float] | None


class SettingOptions(ComparingOptions, total=False):
    """The settings as people give them one by one; see `Settings` for what each means."""

    judge: Callable[[str, Any], Any] | None
