"""Joins references with traces."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from msgspec import structs

from callscore.core.case import Case
from callscore.engines.inputs import NO_JOIN
from callscore.formats.cases import NO_ID, join_case

_NAMELESS_REFERENCE = (
    "the reference has no id, but the traces have different ids. Give every reference an id, or pass"
    " its path: --map id=$.path.to.id"
)


def join_traces(
    references: Iterable[tuple[str, Case]],
    traces: Iterable[tuple[str, Case]],
    refuse: Callable[[str, str], None],
) -> Iterator[tuple[str, Case, bool]]:
    """Join references and traces; yields the place of each case, and whether it has a reference.

    References without a trace come last, as cases that were not run. If there is only one reference,
    a trace without an id belongs to it; if that reference has no id, the traces must have one id.
    The place of a case is its id, or that of its reference if it has no id.

    `refuse` is called with the place and the problem of what cannot be joined.
    """
    known, places = _by_id(map(with_place_of_unread, references), refuse)
    traces = _of_one_id(map(with_place_of_unread, traces), known, places.get(NO_ID), refuse)
    run: set[str] = set()
    nameless: list[tuple[str, Case]] = []  # at most one is allowed
    for place, trace in traces:
        reference = _reference_for(trace, known)
        if trace.id == NO_ID:
            nameless.append((place, trace))
            if reference is None or len(nameless) > 1:
                refuse(nameless.pop()[0], NO_JOIN)
        elif reference is None:
            yield f"case {trace.id}", trace, False
        else:
            run.add(reference.id)
            yield f"case {trace.id}", join_case(reference, trace), True
    if nameless and not known:  # the only reference was refused
        refuse(nameless[0][0], NO_JOIN)
    for name, reference in known.items():
        place = f"case {name}" if name else places[NO_ID]
        if nameless or name not in run:
            trace = nameless[0][1] if nameless else Case(id=NO_ID)
            yield place, join_case(reference, trace), True


def with_place_of_unread(found: tuple[str, Case]) -> tuple[str, Case]:
    """A case that says where the record is in which something was not read."""
    place, case = found
    if case.unread is None:
        return found
    return place, structs.replace(case, unread=f"{place}: {case.unread}")


def _of_one_id(
    traces: Iterable[tuple[str, Case]],
    known: dict[str, Case],
    place: str | None,
    refuse: Callable[[str, str], None],
) -> Iterator[tuple[str, Case]]:
    """The traces; if the only reference, at `place`, has no id, it is refused if theirs are different."""
    if place is None or len(known) > 1:
        yield from traces
        return
    ids = {NO_ID}
    first: list[tuple[str, Case]] = []  # yielded once the next trace has no other id
    for position, trace in enumerate(traces):
        ids.add(trace[1].id)
        if known and len(ids) > len({NO_ID, trace[1].id}):
            known.clear()
            refuse(place, _NAMELESS_REFERENCE)
        if position:
            yield from first
            first = []
            yield trace
        else:
            first = [trace]
    yield from first


def _by_id(
    references: Iterable[tuple[str, Case]], refuse: Callable[[str, str], None]
) -> tuple[dict[str, Case], dict[str, str]]:
    """The references by id, and their places."""
    known: dict[str, Case] = {}
    places: dict[str, str] = {}
    for place, case in references:
        if case.id not in known:
            known[case.id], places[case.id] = case, place
        elif case.id == NO_ID:
            refuse(place, NO_JOIN)
        else:
            problem = f"duplicate reference id {case.id!r}, first used at {places[case.id]}."
            refuse(place, f"{problem} Keep one of them.")
    return known, places


def _reference_for(trace: Case, references: dict[str, Case]) -> Case | None:
    """The reference with the id of a trace, or the only reference if an id is missing."""
    if trace.id != NO_ID and trace.id in references:
        return references[trace.id]
    if len(references) == 1 and (trace.id == NO_ID or NO_ID in references):
        return next(iter(references.values()))
    return None
