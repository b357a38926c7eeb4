from __future__ import annotations

from fractions import Fraction
from math import nan

from hypothesis import given
from hypothesis import strategies as st

from callscore.core.arguments import Grade, apply_settings, grade_calls
from callscore.core.assignment import columns_in
from callscore.core.budget import Budget
from callscore.core.call import NOT_CAPTURED, ToolCall
from callscore.core.call_index import CallIndex
from callscore.core.equality import fingerprint
from callscore.core.rules import Matcher
from callscore.core.settings import Mode, Settings

UNREADABLE = ToolCall("f", raw="{oops", error="unexpected end")

VALUES = st.sampled_from(
    [
        *(None, True, 1, 1.0, "1", 0, False, -0.0, [1], [1.0], (1,), [True], {"x": 1}, {"x": nan}),
        *(fingerprint([1]), fingerprint(True)),  # strings that look like what is looked up
    ]
) | st.builds(float, st.just("nan"))  # no two of them the same object
ARGUMENTS = st.dictionaries(st.sampled_from("abc"), VALUES)
NAMES = st.sampled_from("fg")
EXPECTED = st.builds(ToolCall, NAMES, st.none() | ARGUMENTS)
ACTUAL = st.builds(ToolCall, NAMES, ARGUMENTS) | st.sampled_from(
    [
        UNREADABLE,
        ToolCall("g", raw="[]", error="an array"),
        ToolCall("f"),
        ToolCall("f", error=NOT_CAPTURED),
    ]
)
SETTINGS = st.builds(
    Settings,
    mode=st.sampled_from(Mode),
    argument_match_threshold=st.sampled_from([0, 0.3, 0.5, 0.8, 1]),
    extra_arguments=st.sampled_from(["ignore", "count"]),
)


def by_column(grades: dict[Grade, int]) -> dict[int, tuple[bool, bool, Fraction]]:
    """What a pair is, by column, where it is anything at all: the index leaves the others out."""
    return {
        column: (is_correct, is_equal, Fraction(part, whole))
        for (is_correct, is_equal, part, whole), columns in grades.items()
        for column in columns_in(columns)
        if is_correct or part
    }


@given(st.lists(EXPECTED, max_size=7), st.lists(ACTUAL, max_size=7), SETTINGS)
def test_all_pairs_at_once_are_graded_as_one_by_one(
    expected: list[ToolCall], actual: list[ToolCall], settings: Settings
) -> None:
    index = CallIndex(actual, settings, Budget())
    rows = [index.graded(call) for call in expected]

    assert len(rows) == len(expected)
    for call, (same_tool, grades) in zip(expected, rows, strict=True):
        columns = [column for column, other in enumerate(actual) if other.name == call.name]
        singles = {1 << column: grade_calls(call, actual[column], settings) for column in columns}
        assert columns_in(same_tool) == columns
        assert by_column(grades) == {
            column: found
            for bit, single in singles.items()
            for column, found in by_column({single: bit}).items()
        }


RULED = st.sampled_from(
    [
        *(1, "A", "a!", [1, 2], Matcher("$gte", 1), Matcher("$optional", 1), Matcher("$absent")),
        *(Matcher("$one_of", [1, "A"]), [1, Matcher("$any")]),
    ]
)
SIMPLE = st.sampled_from([1, 1.0, 2, "A", "a", [1, 2], [2, 1], [1], True])
DEMANDING = st.builds(
    Settings,
    mode=st.sampled_from(Mode),
    extra_arguments=st.sampled_from(["ignore", "count"]),
    arrays=st.sampled_from(["ordered", "unordered"]),
    arguments=st.dictionaries(
        st.sampled_from(["*.a", "f.b", "g.*"]), st.sampled_from(["ignore", "text", "optional"])
    ),
)


@given(
    st.lists(
        st.builds(ToolCall, NAMES, st.dictionaries(st.sampled_from("abc"), RULED)), max_size=5
    ),
    st.lists(
        st.builds(ToolCall, NAMES, st.dictionaries(st.sampled_from("abc"), SIMPLE)), max_size=5
    ),
    DEMANDING,
)
def test_demands_on_all_calls_at_once_are_graded_as_one_by_one(
    expected: list[ToolCall], actual: list[ToolCall], settings: Settings
) -> None:
    demands = [apply_settings(call, settings) for call in expected]
    actual = [*actual, UNREADABLE]

    index = CallIndex(actual, settings, Budget())
    rows = [index.graded(call) for call in demands]

    for call, (same_tool, grades) in zip(demands, rows, strict=True):
        columns = [column for column, other in enumerate(actual) if other.name == call.name]
        one_by_one: dict[int, tuple[bool, bool, Fraction]] = {}
        for column in columns:
            one_by_one |= by_column({grade_calls(call, actual[column], settings): 1 << column})
        assert columns_in(same_tool) == columns
        assert by_column(grades) == one_by_one
