"""Whether stored calls can be scored although secrets are hidden in them.

Equal secrets have equal markers and different secrets have different ones, so that values can be compared for equality.
A regular expression, a tolerance or a function would see the marker in place of the value: such a case is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.case import Forbidden, calls_in
from callscore.core.rules import Matcher
from callscore.core.settings import IGNORE
from callscore.core.tool_names import matches_pattern
from callscore.evaluations.scorers import SCORERS
from callscore.hiding.hider import contains_marker
from callscore.hiding.markers import MARKER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from callscore.core.call import Tool, ToolCall
    from callscore.core.case import Case
    from callscore.core.settings import Settings
    from callscore.evaluations.evaluation import Scorer

__all__ = ["hidden_value_problem"]

# Matchers that only compare values for equality, or do not look at them.
_BY_EQUALITY = frozenset(("any", "absent", "one_of", "optional", "subset", "unordered", IGNORE))
# Keywords of a schema that say nothing about the content of a text.
_NOT_CHECKED = frozenset(("type", "description", "title", "default", "examples", "deprecated"))
_AGAIN = "Run the case again with callscore run, or its file with callscore score."

# The tools and the arguments with a hidden value.
_Places = set[tuple[str, str]]


def hidden_value_problem(
    case: Case,
    calls: Sequence[ToolCall],
    settings: Settings,
    tools: Mapping[str, Tool] | None,
    scorers: Iterable[Scorer] = (),
) -> str | None:
    """Why the calls of a case with hidden values cannot be scored, in a sentence; None if they can."""
    functions = [each.name for each in scorers if each.function is not SCORERS.get(each.name)]
    if functions:
        why = f"the scorer {functions[0]} would see a marker in its place"
        return f"a secret is hidden in the case, and {why}. {_AGAIN}"
    found = next(_problems(case, calls, settings, tools or {}), None)
    return None if found is None else f"a secret is hidden in {found[0]}, and {found[1]}. {_AGAIN}"


def _problems(
    case: Case, calls: Sequence[ToolCall], settings: Settings, tools: Mapping[str, Tool]
) -> Iterator[tuple[str, str]]:
    """Where values are hidden, and what cannot be decided there."""
    expected = list(calls_in(case.expected or ()))
    places = {place for call in (*expected, *calls) for place in _hidden_places(call)}
    if places and settings.top_k > 1:
        yield "an answer", "only the calls of the first answer are saved"
    has_patterns = (
        settings.normalize_name
        or settings.strip_prefix
        or settings.effects
        # By default the name says whether a tool reads.
        or settings.count_calls != "all"
        or settings.extra_calls == "reads_free"
        or any(isinstance(item, Forbidden) for item in case.expected or ())
    )
    if has_patterns and any(contains_marker(call.name) for call in (*expected, *calls)):
        yield "the name of a tool", "patterns cannot be applied to a hidden value"
    for argument, key in _rules_on(places, expected, settings):
        yield f"the argument {argument!r}", f"{key} cannot be applied to a hidden value"
    for tool, argument in sorted(places):
        if _is_checked(calls, (tool, argument), tools):
            yield f"the argument {argument!r}", f"the schema of {tool} cannot check a hidden value"


def _hidden_places(call: ToolCall) -> Iterator[tuple[str, str]]:
    for argument, value in (call.arguments or {}).items():
        if contains_marker([argument, _plain(value)]):
            yield call.name, argument


def _plain(value: Any) -> Any:
    """An expected value with the contents of matchers in place of them."""
    if isinstance(value, Matcher):
        return [_plain(value.value), _plain(value.options)]
    if isinstance(value, dict):
        return {key: _plain(member) for key, member in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def _rules_on(
    places: _Places, expected: Iterable[ToolCall], settings: Settings
) -> Iterator[tuple[str, str]]:
    """The arguments with hidden values that are not compared for equality, and the rules for them."""
    hidden = {argument for _, argument in places}
    for call in expected:
        for argument, value in (call.arguments or {}).items():
            keys = [key for key in _matchers(value) if key.removeprefix("$") not in _BY_EQUALITY]
            if keys and argument in hidden:
                yield argument, keys[0]
    for rule in settings.arguments:
        pattern = rule.pattern.rpartition(".")[-1]
        found = [argument for argument in sorted(hidden) if matches_pattern(pattern, argument)]
        if found and rule.rule not in _BY_EQUALITY:
            yield found[0], f"${rule.rule}"


def _matchers(value: Any) -> Iterator[str]:
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, Matcher):
            yield item.key
            pending.append(item.value)
        elif isinstance(item, dict):
            pending += item.values()
        elif isinstance(item, list | tuple):
            pending += item


def _is_checked(
    calls: Iterable[ToolCall], place: tuple[str, str], tools: Mapping[str, Tool]
) -> bool:
    """Whether the schema of a tool requires more of a hidden argument than a type."""
    name, argument = place
    tool = tools.get(name)
    properties = ((tool and tool.parameters) or {}).get("properties")
    schema = properties.get(argument) if isinstance(properties, dict) else None
    if not isinstance(schema, dict):
        return False
    values = [
        call.arguments.get(argument) for call in calls if call.name == name and call.arguments
    ]
    is_number = any(
        isinstance(value, str)
        and any(found[0].endswith("number]") for found in MARKER.finditer(value))
        for value in values
    )
    return is_number or not _NOT_CHECKED.issuperset(schema)
