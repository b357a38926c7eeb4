"""The settings to choose from: the presets, and changes of single settings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, get_args

from msgspec import Struct
from msgspec.structs import fields, replace

from callscore.core.call import Effect
from callscore.core.settings import IGNORE, PRESETS, ArgumentRule, Mode, Settings, get_preset

_MOST_NAMED = 3  # tools or arguments in one line
# They have no effect without mode flexible, where the threshold says how much is required.
_LEFT_OUT = ("extra_arguments",)


def _choices() -> dict[str, tuple[str, ...]]:
    """The values of every setting that is one of several words."""
    found = {field.name: get_args(field.type) for field in fields(Settings)}
    found = {
        name: values
        for name, values in found.items()
        if values and all(isinstance(value, str) for value in values) and name not in _LEFT_OUT
    }
    return {"mode": tuple(map(str, Mode)), **found}


CHOICES: Final = _choices()


class Candidate(Struct, frozen=True):
    """Settings as a person writes them: a preset, and what is set beside it.

    Attributes:
        preset: the name of the preset.
        changes: settings that differ from the preset, with their values.
        effects: tools that were learned to read or write; `*` is every other tool.
        ignored: arguments that were learned not to matter: `tool.argument`.
    """

    preset: str
    changes: tuple[tuple[str, str], ...] = ()
    effects: tuple[tuple[str, Effect], ...] = ()
    ignored: tuple[str, ...] = ()

    @property
    def complexity(self) -> int:
        """How many settings it has beside the preset."""
        return len(self.changes) + len(self.effects) + len(self.ignored)

    @property
    def rank(self) -> tuple[int, int, tuple[int, ...]]:
        """The place in the order of simplicity."""
        names = [*CHOICES]
        changes = [(names.index(name), CHOICES[name].index(value)) for name, value in self.changes]
        places = tuple([place for change in changes for place in change])
        return self.complexity, PRESETS.index(self.preset), places

    def settings(self, base: Settings) -> Settings:
        """The settings as one value; what the candidates do not vary is as in the base."""
        rules = tuple([ArgumentRule(pattern, IGNORE) for pattern in self.ignored])
        return replace(
            base,
            **{**get_preset(self.preset), **dict(self.changes)},
            effects=(*self.effects, *base.effects),
            arguments=(*rules, *base.arguments),
        )

    @property
    def options(self) -> dict[str, Any]:
        """The settings as `callscore.toml` has them."""
        found: dict[str, Any] = {"preset": self.preset, **dict(self.changes)}
        if self.effects:
            found["effects"] = dict(self.effects)
        if self.ignored:
            found["arguments"] = dict.fromkeys(self.ignored, IGNORE)
        return found

    @property
    def label(self) -> str:
        """The settings in one line: `coverage, order any`; many tools or arguments are counted."""
        parts = [f"{name} {value}" for name, value in self.changes]
        effects = [f"{tool} {effect}s" for tool, effect in self.effects]
        parts += effects if len(effects) <= _MOST_NAMED else [f"{len(effects)} effects"]
        ignored = [f"{pattern} ignored" for pattern in self.ignored]
        parts += ignored if len(ignored) <= _MOST_NAMED else [f"{len(ignored)} arguments ignored"]
        return ", ".join([self.preset, *parts])

    def with_change(self, name: str, value: str) -> Candidate:
        """The same with another value of one setting."""
        changes = dict(self.changes) | {name: value}
        if get_preset(self.preset).get(name, getattr(Settings(), name)) == value:
            del changes[name]
        ordered = tuple([(each, changes[each]) for each in CHOICES if each in changes])
        return replace(self, changes=ordered)


def presets() -> list[Candidate]:
    """Every preset, the simplest first."""
    return [Candidate(name) for name in PRESETS]


def single_changes(candidate: Candidate) -> Iterator[Candidate]:
    """The candidate with one more setting, in every possible way."""
    settings = candidate.settings(Settings())
    for name, values in CHOICES.items():
        if name in dict(candidate.changes):
            continue
        for value in values:
            if getattr(settings, name) != value:
                yield candidate.with_change(name, value)
