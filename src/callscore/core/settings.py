"""The configuration of a score: `Settings`, presets, and rules for single arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import Any, Final, Literal, TypedDict, Unpack, get_args

from msgspec import Struct, StructMeta
from msgspec.structs import force_setattr

from callscore.core.call import Effect
from callscore.core.rendering import mention
from callscore.core.suggestions import suggestion_or_choices
from callscore.errors import CallscoreError, InvalidSettings

IGNORE: Final = "ignore"  # the only rule that is not a comparator

_EXAMPLE = (
    'a mapping such as {"book_flight.date": "date", "*.query": {"text": {"similarity": 0.85}}}'
)


class ArgumentRule(Struct, frozen=True, gc=False):
    """How one argument is compared when a case expects a plain value for it.

    Attributes:
        pattern: the tool and the argument; `*` matches anything: `book_flight.date`, `*.query`.
            The argument is what follows the last dot.
        rule: the name of a matcher without its `$` (`date`, `text`), or `ignore`.
        options: the options of the matcher: `{"similarity": 0.85}`.
    """

    pattern: str
    rule: str
    options: dict[str, Any] = {}

    def __hash__(self) -> int:  # the options cannot be hashed, and need not be
        return hash((self.pattern, self.rule))


def read_argument_rules(value: Any) -> tuple[ArgumentRule, ...]:
    """Validated rules for single arguments, from rules or from a mapping of patterns to rules.

    In a mapping a rule is its name, or its name with its options: `{"text": {"similarity": 0.85}}`.

    Raises:
        InvalidSettings: a pattern, a rule or an option is invalid.
    """
    if isinstance(value, Mapping):
        rules = [_read_rule(pattern, rule) for pattern, rule in value.items()]
    elif isinstance(value, list | tuple) and all(isinstance(rule, ArgumentRule) for rule in value):
        rules = list(value)
    else:
        raise InvalidSettings(f"arguments: expected {_EXAMPLE}, got {mention(value)}")
    for rule in rules:
        _require_pattern(rule.pattern)
        _require_rule(rule)
    return tuple(rules)


def _read_rule(pattern: Any, value: Any) -> ArgumentRule:
    if isinstance(value, str):
        return ArgumentRule(pattern, value)
    if isinstance(value, Mapping) and len(value) == 1:
        ((rule, options),) = value.items()
        if isinstance(rule, str) and isinstance(options, Mapping):
            return ArgumentRule(pattern, rule, dict(options))
    raise InvalidSettings(
        f'arguments: {mention(pattern)}: expected the name of a rule, such as "text", or a rule with its'
        f' options, such as {{"text": {{"similarity": 0.85}}}}, got {mention(value)}'
    )


def _require_pattern(pattern: Any) -> None:
    if not isinstance(pattern, str) or not pattern:
        raise InvalidSettings(
            f"arguments: expected a pattern such as 'book_flight.date', got {mention(pattern)}"
        )
    tool, dot, argument = pattern.rpartition(".")
    if not dot:
        shown = mention(pattern)[1:-1]
        raise InvalidSettings(
            f"arguments: '{shown}' has no dot. Write '*.{shown}' for this argument of any tool,"
            f" or '{shown}.*' for all arguments of this tool"
        )
    if not tool or not argument:
        missing = "tool before" if not tool else "argument after"
        raise InvalidSettings(
            f"arguments: {mention(pattern)} has no {missing} the dot; '*' matches any"
        )


def _require_rule(rule: ArgumentRule) -> None:
    from callscore.core.rules import Matcher, rules_by_name  # rarely needed

    known = rules_by_name()
    if rule.rule != IGNORE and rule.rule not in known:
        hint = suggestion_or_choices(rule.rule, [*sorted(known), IGNORE])
        raise InvalidSettings(
            f"arguments: {mention(rule.pattern)}: unknown rule {mention(rule.rule)}{hint}"
        )
    allowed = () if rule.rule == IGNORE else known[rule.rule].options
    for option in rule.options:
        if option not in allowed:
            hint = suggestion_or_choices(option, allowed) if allowed else ". It has no options."
            problem = f"unknown option {mention(option)} of the rule {mention(rule.rule)}{hint}"
            raise InvalidSettings(f"arguments: {mention(rule.pattern)}: {problem}")
    if rule.options:  # their values are checked together with the value of an example
        key, comparator = f"${rule.rule}", known[rule.rule]
        spelled = next(example[0] for example in comparator.examples if key in example[0])
        invalid = comparator.check(Matcher(key, spelled[key], rule.options))
        if invalid is not None:
            raise InvalidSettings(f"arguments: {mention(rule.pattern)}: {invalid}")


Order = Literal["any", "in_order", "exact", "in_turns"]
ExtraArguments = Literal["ignore", "count"]
NamePart = Literal["namespace", "dots", "case"]
CountCalls = Literal["all", "writes"]
FailedCalls = Literal["count", "ignore"]
RepeatedCalls = Literal["count", "collapse"]
Arrays = Literal["ordered", "unordered"]
NestedObjects = Literal["equal", "subset"]
ExtraCalls = Literal["cost", "free", "reads_free"]
SchemaDefaults = Literal["differ", "equal"]
Turns = Literal["separate", "cumulative"]


class Mode(StrEnum):
    """Whether all arguments of a call must match, or a share of them."""

    STRICT = "strict"
    FLEXIBLE = "flexible"


ALIASES: Final = {"argumentMatchThreshold": "argument_match_threshold"}


def resolve_aliases(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values under the names that `Settings` has for them.

    Raises:
        InvalidSettings: a setting is given under both its names.
    """
    if ALIASES.keys().isdisjoint(values):
        return dict(values)
    for alias, name in ALIASES.items():
        if alias in values and name in values:
            raise InvalidSettings(
                f"{alias!r} and {mention(name)} are the same setting. Specify one of them"
            )
    return {ALIASES.get(name, name): value for name, value in values.items()}


class _SettingsMeta(StructMeta):
    """Names of settings are checked as their values are: a wrong one raises `InvalidSettings`."""

    def __call__(self, *args: Any, **values: Any) -> Any:
        known = _known_settings(values)
        try:
            return super().__call__(*args, **known)
        except (CallscoreError, TypeError):  # a TypeError is about the arguments of this call
            raise
        except Exception as error:  # of an object that raises when it is compared or counted
            problem = f"a value cannot be examined ({type(error).__name__})"
            raise InvalidSettings(f"{problem}. Pass strings, numbers, lists and dicts") from error


def _known_settings(values: Mapping[str, Any]) -> dict[str, Any]:
    known = resolve_aliases(values)
    for name in known:
        if name not in Settings.__struct_fields__:
            hint = suggestion_or_choices(name, Settings.__struct_fields__)
            raise InvalidSettings(f"unknown setting {mention(name)}{hint}")
    return known


class Settings(
    Struct,
    metaclass=_SettingsMeta,
    frozen=True,
    gc=False,
    kw_only=True,
    forbid_unknown_fields=True,
):
    """How calls are compared and scored; the defaults are the strict comparison.

    Words such as `strict` are accepted in any case. `argumentMatchThreshold` is an alias of
    `argument_match_threshold`.

    Attributes:
        mode: `strict` requires equal arguments; `flexible` requires a share of them.
        argument_match_threshold: the share of the arguments that must match in mode `flexible`, 0 to 1.
        order: `any`, `in_order` (pairs do not cross), `exact` (position by position) or `in_turns`
            (`in_order` within each turn of the user, `any` in a case without turns).
        extra_arguments: whether unexpected arguments lower the share in mode `flexible`.
        pass_mark: the score from which a case passes.
        strip_prefix: prefixes to remove from tool names, as patterns in which `*` matches anything:
            `mcp__*__`. The first pattern that matches is used.
        normalize_name: differences in tool names to ignore: `namespace` (everything up to the last
            `.`, `/`, `:` or `__`), `dots` (`.`, `-`, `/` and `:` are equal to `_`), `case`.
        count_calls: `all`, or `writes`: only calls of tools that may change something.
        failed_calls: `count` or `ignore` calls whose result was an error.
        repeated_calls: `count` exact repeats of earlier calls, or `collapse` them.
        arrays: whether the items of an array must be `ordered`, or may be `unordered`.
        nested_objects: whether an object inside an argument must be `equal`, or may be a `subset`
            of the actual one.
        extra_calls: whether calls that were not expected `cost`, are `free` unless they are
            forbidden, or whether only reads are free (`reads_free`).
        schema_defaults: whether an argument with the default of the tool's schema `differ`s from one
            that is left out, or is `equal` to it.
        turns: whether the calls that are expected in a turn must be made in that turn (`separate`),
            or in that or an earlier one (`cumulative`).
        effects: which tools `read` and which `write`, as patterns in which `*` matches anything;
            the first match decides. They override the tool definitions. A mapping is accepted:
            `{"get_*": "read"}`.
        arguments: how single arguments are compared; the first rule that matches decides. A mapping
            is accepted: `{"book_flight.date": "date", "*.request_id": "ignore"}`.
        top_k: the number of answers to the same question of which the best counts.
        similarity: a function that returns the similarity of two texts, 0 to 1, in place of the
            built-in one.
        judge: a function that answers `$judge` questions. It takes the question and the value, and
            returns True or False, a number from 0 to 1, or one of these with a reason.
    """

    mode: Mode | str = Mode.STRICT
    argument_match_threshold: float = 0.8
    order: Order = "any"
    extra_arguments: ExtraArguments = "ignore"
    pass_mark: float = 1.0
    strip_prefix: tuple[str, ...] = ()
    normalize_name: tuple[NamePart, ...] = ()
    count_calls: CountCalls = "all"
    failed_calls: FailedCalls = "count"
    repeated_calls: RepeatedCalls = "count"
    arrays: Arrays = "ordered"
    nested_objects: NestedObjects = "equal"
    extra_calls: ExtraCalls = "cost"
    schema_defaults: SchemaDefaults = "differ"
    turns: Turns = "separate"
    effects: tuple[tuple[str, Effect], ...] = ()
    arguments: tuple[ArgumentRule, ...] = ()
    top_k: int = 1
    similarity: Callable[[str, str], float] | None = None
    judge: Callable[[str, Any], Any] | None = None

    @property
    def has_rules(self) -> bool:
        """Whether anything but equal values can match."""
        return bool(self.arguments or self.arrays != "ordered" or self.nested_objects != "equal")

    @property
    def uses_effects(self) -> bool:
        """Whether a score depends on which tools read and which write."""
        return self.count_calls == "writes" or self.extra_calls == "reads_free"

    def __post_init__(self) -> None:
        for setting, choices in _CHOICES.items():
            value = getattr(self, setting)
            if value not in choices:
                force_setattr(self, setting, _read_choice(setting, value, choices))
        _require_fraction("argument_match_threshold", self.argument_match_threshold)
        _require_fraction("pass_mark", self.pass_mark)
        _require_strings("strip_prefix", self.strip_prefix)
        _require_strings("normalize_name", self.normalize_name)
        if self.normalize_name != ():
            force_setattr(self, "normalize_name", _name_parts(self.normalize_name))
        if self.effects != ():
            force_setattr(self, "effects", _effects(self.effects))
        if self.arguments != ():
            force_setattr(self, "arguments", read_argument_rules(self.arguments))
        top_k: object = self.top_k
        if isinstance(top_k, bool) or not isinstance(top_k, int) or top_k < 1:
            raise InvalidSettings(f"top_k: expected an integer ≥ 1, got {mention(top_k)}")
        _require_callable("similarity", self.similarity)
        _require_callable("judge", self.judge)

    @classmethod
    def preset(cls, name: str, **options: Unpack[SettingOptions]) -> Settings:
        """The settings of a preset (`strict`, `flexible`, `outcome`, `coverage`); options override it.

        Raises:
            InvalidSettings: the preset, a setting or its value is unknown.
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
    "extra_calls": get_args(ExtraCalls),
    "schema_defaults": get_args(SchemaDefaults),
    "turns": get_args(Turns),
}


def _read_choice(setting: str, value: Any, choices: tuple[str, ...]) -> Any:
    """The choice that the value is, in any case."""
    if isinstance(value, str) and value.lower() in choices:
        return value.lower()
    hint = suggestion_or_choices(value, choices)
    raise InvalidSettings(f"{setting}: unknown value {mention(value)}{hint}")


def _name_parts(given: tuple[str, ...]) -> tuple[str, ...]:
    return tuple([_read_choice("normalize_name", part, get_args(NamePart)) for part in given])


def _require_fraction(setting: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InvalidSettings(f"{setting}: expected a number from 0 to 1, got {mention(value)}")


def _require_strings(setting: str, value: object) -> None:
    if not isinstance(value, tuple) or not all(isinstance(item, str) and item for item in value):
        raise InvalidSettings(f"{setting}: expected a tuple of strings, got {mention(value)}")


def _require_callable(setting: str, value: object) -> None:
    if value is not None and not callable(value):
        raise InvalidSettings(f"{setting}: expected a function, got {mention(value)}")


def _effects(value: Any) -> tuple[tuple[str, Effect], ...]:
    """Which tools read and which write, as pairs."""
    pairs = list(value.items()) if isinstance(value, Mapping) else value
    if not isinstance(pairs, list | tuple) or not all(
        isinstance(pair, list | tuple) and len(pair) == len(("pattern", "effect")) for pair in pairs
    ):
        raise InvalidSettings(
            f'effects: expected a mapping such as {{"get_*": "read"}}, got {mention(value)}'
        )
    for pattern, _ in pairs:
        if not isinstance(pattern, str) or not pattern:
            raise InvalidSettings(
                f"effects: expected a tool name or a pattern, got {mention(pattern)}"
            )
    choices = get_args(Effect)
    return tuple(
        [
            (pattern, _read_choice(f"effects: {mention(pattern)}", effect, choices))
            for pattern, effect in pairs
        ]
    )


DEFAULT = Settings()

_TUPLE_SETTINGS = ("strip_prefix", "normalize_name")


def settings_from(options: Mapping[str, Any], *, preset: str | None = None) -> Settings:
    """Settings from a preset and single options that override it.

    For a setting that takes several strings, a list or a single string is accepted.

    Raises:
        InvalidSettings: the preset, a setting or its value is unknown.
    """
    values = _known_settings(options)
    for name in _TUPLE_SETTINGS:
        given = values.get(name)
        if isinstance(given, str | list):
            values[name] = (given,) if isinstance(given, str) else tuple(list.__iter__(given))
    if preset is not None:
        values = {**get_preset(preset), **values}
    return cached_settings(**values)


# Rules with the options 1 and True are equal, and a callable may keep anything alive.
_NOT_CACHED = frozenset({"arguments", "similarity", "judge"})


def cached_settings(**values: Any) -> Settings:
    """The settings with these values; the same object for the same values, if they are hashable."""
    if _NOT_CACHED.isdisjoint(values):
        try:
            return _cached_settings(**values)
        except CallscoreError:
            raise
        except Exception:  # noqa: BLE001, S110  (not hashable: a mapping, or an object that raises)
            pass
    return Settings(**values)


@lru_cache(maxsize=256, typed=True)  # typed: what was 1 before must not let True pass
def _cached_settings(**values: Any) -> Settings:
    settings = Settings(**values)
    return DEFAULT if settings == DEFAULT else settings  # selects the fast path


class ComparingOptions(TypedDict, total=False):
    """All settings except `judge`; `Settings` describes them."""

    mode: Mode | str
    argument_match_threshold: float
    order: Order
    extra_arguments: ExtraArguments
    pass_mark: float
    strip_prefix: str | Sequence[str]
    normalize_name: NamePart | Sequence[NamePart]
    count_calls: CountCalls
    failed_calls: FailedCalls
    repeated_calls: RepeatedCalls
    arrays: Arrays
    nested_objects: NestedObjects
    extra_calls: ExtraCalls
    schema_defaults: SchemaDefaults
    turns: Turns
    effects: Mapping[str, Effect] | Sequence[tuple[str, Effect]]
    arguments: Mapping[str, Any] | Sequence[ArgumentRule]
    top_k: int
    similarity: Callable[[str, str], float] | None


class SettingOptions(ComparingOptions, total=False):
    """All settings, as keyword arguments; `Settings` describes them."""

    judge: Callable[[str, Any], Any] | None
    argumentMatchThreshold: float  # an alias, see `ALIASES`


# All presets have the same settings, so that one replaces another completely.
_STRICT: Final = {
    "mode": "strict",
    "order": "any",
    "count_calls": "all",
    "failed_calls": "count",
    "arrays": "ordered",
    "nested_objects": "equal",
    "extra_calls": "cost",
    "schema_defaults": "differ",
}
_OUTCOME: Final = {
    "count_calls": "writes",
    "failed_calls": "ignore",
    "arrays": "unordered",
    "nested_objects": "subset",
}
_COVERAGE: Final = {
    "order": "in_turns",
    "extra_calls": "free",
    "schema_defaults": "equal",
}
_PRESETS: Final[dict[str, dict[str, Any]]] = {
    "strict": _STRICT,
    "flexible": {**_STRICT, "mode": "flexible"},
    "outcome": {**_STRICT, **_OUTCOME},
    "coverage": {**_STRICT, **_COVERAGE},
}

PRESETS: Final = tuple(_PRESETS)


def get_preset(name: Any) -> dict[str, Any]:
    """The settings of a preset, by name in any case; other settings stay as they are.

    Raises:
        InvalidSettings: the preset is unknown.
    """
    return dict(_PRESETS[_read_choice("preset", name, PRESETS)])


def ineffective_settings(names: Iterable[str], settings: Settings) -> dict[str, str]:
    """Of the named settings, those that cannot change a score: each with what it would need."""
    flexible, selecting = (("mode", "flexible"),), ("count_calls", "writes")
    needs: dict[str, tuple[tuple[str, str], ...]] = {
        "argument_match_threshold": flexible,
        "extra_arguments": flexible,
        "effects": (selecting, ("extra_calls", "reads_free")),
    }
    found = {}
    for name in names:
        ways = needs.get(name, ())
        if ways and all(getattr(settings, setting) != value for setting, value in ways):
            setting, value = ways[0]
            found[name] = f"{setting} {value}"
    return found
