"""References and traces, joined."""

from __future__ import annotations

from callscore.core.call import ToolCall
from callscore.core.case import Case
from callscore.engines.inputs import join_traces
from callscore.formats.cases import NO_ID

EXPECTED = (ToolCall("f", {}),)


def joined(
    references: list[str], traces: list[str]
) -> tuple[list[tuple[str, bool, bool]], list[str]]:
    """The ids of the cases, whether each was run and has a reference, and what was refused."""
    refused: list[str] = []
    cases = join_traces(
        [(f"r{at}", Case(id=name, expected=EXPECTED)) for at, name in enumerate(references)],
        [(f"t{at}", Case(id=name, actual=())) for at, name in enumerate(traces)],
        lambda place, problem: refused.append(f"{place}: {problem}"),
    )
    found = [(case.id, case.actual is not None, has_both) for case, has_both in cases]
    return found, refused


def test_the_same_id_joins() -> None:
    assert joined(["a", "b"], ["b", "a", "b", "c"]) == (
        [("b", True, True), ("a", True, True), ("b", True, True), ("c", True, False)],
        [],
    )


def test_references_without_a_trace_come_last() -> None:
    assert joined(["a", "b"], ["b"])[0] == [("b", True, True), ("a", False, True)]


def test_a_single_run_on_each_side_needs_no_id() -> None:
    (case,), refused = joined([NO_ID], [NO_ID])

    assert case[0].startswith("sha-")
    assert case[1:] == (True, True)
    assert refused == []
    assert joined(["a"], [NO_ID]) == ([("a", True, True)], [])
    assert joined([NO_ID], ["b"]) == ([("b", True, True)], [])


def test_where_there_are_more_the_id_must_be_said() -> None:
    for references, traces, place in (
        (["a", "b"], [NO_ID], "t0"),
        ([NO_ID], [NO_ID, NO_ID], "t1"),
        ([NO_ID, NO_ID], [NO_ID], "r1"),
        ([], [NO_ID], "t0"),
    ):
        _, refused = joined(references, traces)

        assert refused[0].startswith(f"{place}: this does not say which case it belongs to")
        assert "--map id=" in refused[0]


def test_a_reference_that_is_there_twice_is_named() -> None:
    _, refused = joined(["a", "a"], ["a"])

    assert refused == ["r1: there is a reference with the id 'a' already, at r0. Keep one of them."]
