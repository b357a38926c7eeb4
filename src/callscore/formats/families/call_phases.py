"""Joins the spans that some frameworks write for the phases of one call.

BeeAI, for example, writes a span when a tool starts, one when it succeeds and one when it finishes,
and another each time that an agent learns more about the call that it is making. All of them
together are one call.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

if TYPE_CHECKING:
    from callscore.formats.families.spans import Span

_PHASE = re.compile(
    r"(?:(?P<tool>.+)[./:_ -])?"
    r"(?P<phase>start|started|success|succeeded|finish|finished|completed?|error|failed|retry)"
    r"(?:[-.](?P<number>\d{1,10}))?",
    re.DOTALL,
)
_STARTS = ("start", "started")
_ERRORS = ("error", "failed")
_SUCCESSES = ("success", "succeeded", "complete", "completed")
_SNAPSHOT = re.compile(r"agent\..*update")  # what an agent knows so far
_KIND = "openinference.span.kind"
_NAMES = ("tool.name", "gen_ai.tool.name", "ai.toolCall.name", "traceloop.entity.name")
_KINDS = (_KIND, "gen_ai.operation.name", "traceloop.span.kind", "mlflow.spanType")
_TOOL_KINDS = frozenset(("tool", "execute_tool", '"tool"'))
_EMPTY = (None, "", "null")
_CALL_PREFIX = "tool."


class _Name(Struct, frozen=True, gc=False):
    """The parts of a name such as `tool.search.wikipedia.start-12`."""

    tool: str
    phase: str
    number: str | None


@lru_cache(maxsize=4096)
def _parsed(name: str) -> _Name | None:
    found = _PHASE.fullmatch(name)
    return found and _Name(found["tool"] or "", found["phase"], found["number"])


def join_phases(spans: list[Span]) -> list[Span]:
    """The spans in their order, with one in place of those that are phases of the same call.

    It has the place of the first of them, and what any of them says.
    """
    phases = [span for span in spans if _parsed(span.name) is not None and _is_tool(span)]
    snapshots = [span for span in spans if _is_snapshot(span)]
    if not phases and not snapshots:
        return spans
    by_id: dict[str | None, Span] = {span.id: span for span in spans if span.id is not None}
    joined: dict[int, Span | None] = {}  # by the identity of a span: what is in its place
    for group in _grouped(phases, by_id):
        whole = _whole(group, by_id)
        joined.update((id(span), None) for span in group)
        joined[id(group[0])] = whole
    known = {span.parent for span in phases}
    for group in _grouped_snapshots(snapshots):
        joined.update((id(span), _without_call(span)) for span in group)
        if known.isdisjoint(span.id for span in group):
            joined[id(group[0])] = _as_tool(group)
    return [kept for span in spans if (kept := joined.get(id(span), span)) is not None]


def _is_tool(span: Span) -> bool:
    if str(span.record.get("type")).lower() == "tool":  # an observation of Langfuse
        return True
    kinds = [span.attributes[key] for key in _KINDS if key in span.attributes]
    if kinds:
        return any(isinstance(kind, str) and kind.lower() in _TOOL_KINDS for kind in kinds)
    return _tool_name(span) is not None


def _tool_name(span: Span) -> str | None:
    for key in _NAMES:
        name: str | None = span.attributes.get(key)
        if isinstance(name, str):
            return name
    return None


def _grouped(phases: list[Span], by_id: dict[str | None, Span]) -> list[list[Span]]:
    """The phases of each call.

    Numbers tell calls apart. Without them, each start begins another call, unless a phase has the
    name of the tool itself: a tool can be called `session.start`.
    """
    groups: dict[tuple[Any, ...], list[list[Span]]] = {}
    for span in phases:
        name = _parsed(span.name)
        tool = _tool_name(span)
        if name is None or (tool is not None and tool == span.name):
            continue
        if (
            not name.tool
            and name.number is None
            and tool is None
            and not _has_tool_around(span, by_id)
        ):
            continue
        around = span.parent if name.number is None else None
        key = (span.trace, around, name.tool or tool, name.number)
        known = groups.setdefault(key, [])
        if not known or (name.number is None and name.phase in _STARTS):
            known.append([span])
        else:
            _group_of(name.phase, known).append(span)
    found = [
        known for known in groups.values() if any(_is_one_call(group, by_id) for group in known)
    ]
    return [group for known in found for group in known]


def _group_of(phase: str, groups: list[list[Span]]) -> list[Span]:
    """The first of the calls of one tool that can have this phase next."""
    ends = (*_ERRORS, *_SUCCESSES)
    for group in groups:
        seen = {name.phase for span in group if (name := _parsed(span.name)) is not None}
        if seen.isdisjoint(ends if phase in ends else (phase,)):
            return group
    return groups[-1]


def _is_one_call(group: list[Span], by_id: dict[str | None, Span]) -> bool:
    """Whether it is more than a tool that is called like a phase."""
    name = _parsed(group[0].name)
    if name is None:
        return False
    is_numbered = name.number is not None and bool(name.tool)
    return is_numbered or len(group) > 1 or (not name.tool and _has_tool_around(group[0], by_id))


def _has_tool_around(span: Span, by_id: dict[str | None, Span]) -> bool:
    around = by_id.get(span.parent)
    return around is not None and _is_tool(around)


def _whole(group: list[Span], by_id: dict[str | None, Span]) -> Span | None:
    """One span for all phases; None if they are those of the tool around them."""
    first = group[0]
    name = _parsed(first.name)
    around = by_id.get(first.parent)
    if name is None or (not name.tool and around is not None and _is_tool(around)):
        return None
    attributes, record = _merged(group)
    spans = [*group, *([] if around is None else [around])]
    tool = next((found for span in spans if (found := _tool_name(span)) is not None), None)
    if tool is not None:
        attributes["tool.name"] = tool
    last = name.tool.rpartition(".")[2] if name.tool.startswith(_CALL_PREFIX) else name.tool
    return replace(
        first,
        name=last or tool or first.name,
        attributes=attributes,
        record=record,
        failed=_has_failed(group),
        events=tuple([event for span in group for event in span.events]),
    )


def _merged(group: list[Span]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the spans say together: of different values, the first counts."""
    attributes: dict[str, Any] = {}
    record: dict[str, Any] = {}
    for span in group:
        for whole, part in ((attributes, span.attributes), (record, span.record)):
            for key, value in part.items():
                if key not in whole or whole[key] in _EMPTY:
                    whole[key] = value
    return attributes, record


def _has_failed(group: list[Span]) -> bool:
    """Whether the last attempt did: some tools are run again after an error."""
    names = [_parsed(span.name) for span in group]
    phases = [name.phase for name in names if name is not None]
    if any(phase in _SUCCESSES for phase in phases):
        return False
    return any(phase in _ERRORS for phase in phases) or any(span.failed for span in group)


# --- what an agent knows so far -----------------------------------------------------------------


def _is_snapshot(span: Span) -> bool:
    return (
        isinstance(span.attributes.get("tool.name"), str)
        and _SNAPSHOT.match(span.name) is not None
        and not _is_tool(span)
    )


def _grouped_snapshots(snapshots: list[Span]) -> list[list[Span]]:
    """The snapshots of each call: the arguments are added to it, and then the result."""
    latest: dict[tuple[Any, ...], list[Span]] = {}
    groups: list[list[Span]] = []
    for span in snapshots:
        key = (span.trace, span.parent, span.attributes["tool.name"])
        group = latest.get(key)
        if group is None or not _continues(group, span):
            group = latest[key] = []
            groups.append(group)
        group.append(span)
    return groups


def _continues(group: list[Span], span: Span) -> bool:
    """Whether a snapshot knows all that those before it know."""
    attributes, _ = _merged(group)
    return all(
        attributes.get(key) in _EMPTY or attributes[key] == span.attributes.get(key)
        for key in ("tool.parameters", "output.value")
    )


def _without_call(span: Span) -> Span:
    kept = {key: value for key, value in span.attributes.items() if not key.startswith("tool.")}
    return replace(span, attributes=kept)


def _as_tool(group: list[Span]) -> Span:
    attributes, record = _merged(group)
    return replace(group[0], attributes={**attributes, _KIND: "TOOL"}, record=record)
