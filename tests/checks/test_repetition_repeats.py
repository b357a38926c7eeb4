"""Calls that were made before."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from callscore.checks.repetition import repeat_faults
from callscore.core.call import INVALID, NOT_CAPTURED, ToolCall
from callscore.core.equality import equal
from callscore.core.score import Fault

calls = st.builds(
    ToolCall,
    st.sampled_from(["f", "g"]),
    st.none() | st.dictionaries(st.sampled_from("ab"), st.sampled_from([0, 0.0, False, "0"])),
)


def test_every_later_call_that_is_the_same_is_a_repeat_of_the_first() -> None:
    call = ToolCall("f", {"a": 1, "b": [2]}, id="x")
    same = ToolCall("f", {"b": [2.0], "a": 1}, id="y", failed=True)

    assert repeat_faults([call, ToolCall("g", call.arguments), same, call]) == (
        Fault("repeat", "f", 2, since=0),
        Fault("repeat", "f", 3, since=0),
    )


def test_no_arguments_are_the_same_as_an_empty_object() -> None:
    assert len(repeat_faults([ToolCall("f"), ToolCall("f", {})])) == 1


def test_unreadable_arguments_are_the_same_where_their_text_is() -> None:
    def broken(text: str) -> ToolCall:
        return ToolCall("f", raw=text, error=INVALID)

    assert repeat_faults([broken("{"), broken("{{")]) == ()
    assert len(repeat_faults([broken("{"), broken("{")])) == 1


def test_calls_whose_arguments_nobody_wrote_down_are_not_the_same() -> None:
    assert repeat_faults([ToolCall("f", error=NOT_CAPTURED)] * 3) == ()


@given(st.lists(calls, max_size=8))
def test_a_repeat_is_what_json_equality_says(made: list[ToolCall]) -> None:
    found = {fault.index for fault in repeat_faults(made)}

    assert found == {
        index
        for index, call in enumerate(made)
        if any(
            other.name == call.name and equal(other.arguments or {}, call.arguments or {})
            for other in made[:index]
        )
    }
