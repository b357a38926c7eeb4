"""References and traces, joined on the ids of their cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.formats.cases import NO_ID, join_case

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from callscore.core.model import Case

__all__ = ["join"]

_NO_JOIN = (
    "this does not say which case it belongs to, and there is more than one."
    " Say where the id stands: --map id=$.path.to.it"
)


def join(
    references: Iterable[tuple[str, Case]],
    traces: Iterable[tuple[str, Case]],
    refuse: Callable[[str, str], None],
) -> Iterator[tuple[Case, bool]]:
    """The cases that references and traces make together, and whether each has a reference.

    References that no trace belongs to come last, as cases that were not run. Where there is only
    one reference, a trace without an id belongs to it, and any trace to one without an id.

    Args:
        references: each with its place.
        traces: likewise; one after another, never all at once.
        refuse: is told the place and the problem of what cannot be joined.
    """
    known = _by_id(references, refuse)
    run: set[str] = set()
    nameless: list[tuple[str, Case]] = []  # which may be one too many
    for place, trace in traces:
        reference = _reference_for(trace, known)
        if trace.id == NO_ID:
            nameless.append((place, trace))
            if reference is None or len(nameless) > 1:
                refuse(nameless.pop()[0], _NO_JOIN)
        elif reference is None:
            yield trace, False
        else:
            run.add(reference.id)
            yield join_case(reference, trace), True
    for _, trace in nameless:
        reference = next(iter(known.values()))
        run.add(reference.id)
        yield join_case(reference, trace), True
    for name, reference in known.items():
        if name not in run:
            yield reference, True


def _by_id(
    references: Iterable[tuple[str, Case]], refuse: Callable[[str, str], None]
) -> dict[str, Case]:
    known: dict[str, Case] = {}
    places: dict[str, str] = {}
    for place, case in references:
        if case.id not in known:
            known[case.id] = case
            places[case.id] = place
        elif case.id == NO_ID:
            refuse(place, _NO_JOIN)
        else:
            first = places[case.id]
            problem = f"there is a reference with the id {case.id!r} already, at {first}."
            refuse(place, f"{problem} Keep one of them.")
    return known


def _reference_for(trace: Case, references: dict[str, Case]) -> Case | None:
    """The reference of a trace: the one of its id, or the only one where an id is lacking."""
    if trace.id in references:
        return references[trace.id]
    if len(references) == 1 and (trace.id == NO_ID or NO_ID in references):
        return next(iter(references.values()))
    return None
