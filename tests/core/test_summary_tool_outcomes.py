"""How the calls of each tool went in one case."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from callscore import expect, score
from callscore.core.summary import Summary, tool_outcomes

CALLS = st.lists(
    st.builds(
        lambda name, n: expect.call(name, {"n": n}), st.sampled_from("fgh"), st.integers(0, 1)
    ),
    max_size=5,
)


def test_calls_are_counted_by_the_tool_that_was_expected() -> None:
    found = score(
        [
            expect.call("f", {"n": 1}),
            expect.call("f", {"n": 2}),
            expect.call("g"),
            expect.forbid("h"),
        ],
        [expect.call("f", {"n": 1}), expect.call("f", {"n": 3}), expect.call("h")],
    )

    assert tool_outcomes(found) == {
        "f": (1, 1, 0, 0, 0),
        "g": (0, 0, 1, 0, 0),
        "h": (0, 0, 0, 1, 1),
    }


def test_nothing_expected_and_nothing_called_counts_nothing() -> None:
    assert tool_outcomes(score([], [])) == {}


def test_correct_calls_of_the_same_tool_are_counted_together() -> None:
    found = score(["f", "g", "f"], ["f", "g", "f"])

    assert tool_outcomes(found) == {"f": (2, 0, 0, 0, 0), "g": (1, 0, 0, 0, 0)}


@given(CALLS, CALLS)
def test_the_counts_are_those_of_a_summary(expected: list[object], actual: list[object]) -> None:
    found = score(expected, actual)
    summary = Summary()
    summary.add(found)

    assert tool_outcomes(found) == {
        name: (each.correct, each.incorrect, each.missed, each.extra, each.forbidden)
        for name, each in summary.tools.items()
    }
