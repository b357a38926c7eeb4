"""What was observed as a new expectation."""

from __future__ import annotations

from typing import Any

import pytest

from callscore import InvalidCall, ToolCall, expect, score
from callscore.rewriting.change import CannotRewrite, Item
from callscore.rewriting.observed import observed_items, spelled

F, G = expect.call("f", x=1), expect.call("g", y=expect.contains("Paris"))
H = expect.call("h")
MADE_F: dict[str, Any] = {"name": "f", "arguments": {"x": 2}}
MADE_G: dict[str, Any] = {"name": "g", "arguments": {"y": "in Paris"}}
FORBID = expect.forbid("delete_*")


@pytest.mark.parametrize(
    ("expected", "actual", "items"),
    [
        ([F, G], [MADE_F, MADE_G], (MADE_F, 1)),
        ([F, G], [MADE_G, MADE_F], (1, MADE_F)),
        ([F], [], ()),
        ([], [MADE_F], (MADE_F,)),
        ([FORBID, F], [MADE_F], (0, MADE_F)),
        ([F, FORBID], [MADE_F], (MADE_F, 1)),
        ([FORBID], [MADE_F], (MADE_F, 0)),
        ([FORBID, G, F], [MADE_G], (0, 1)),
        ([G, FORBID, F], [MADE_G, MADE_F], (0, 1, MADE_F)),
        ([F, FORBID, G], [MADE_F, MADE_G], (MADE_F, 1, 2)),
        ([expect.one_of(F, G)], [MADE_F], (MADE_F,)),
        ([expect.one_of(F, G), F], [MADE_G, MADE_F], (0, MADE_F)),
        ([expect.any_order(H, G), F], [MADE_G, MADE_F, "h"], (0, MADE_F)),
        ([expect.any_order(H, G), F], [MADE_G, MADE_F], (MADE_G, MADE_F)),
        ([expect.optional(H), G, F], [MADE_G], (0, 1)),
        ([G, expect.optional(H), F], [MADE_G, "h", MADE_F], (0, 1, MADE_F)),
        ([expect.times(H, min=0), F], [MADE_F], (0, MADE_F)),
        ([expect.times(H, min=1), F], ["h", "h", MADE_F], (0, MADE_F)),
        ([expect.times(F, 2)], [MADE_G], (MADE_G,)),
    ],
)
def test_calls_that_were_right_stay_as_they_are_written(
    expected: list[Any], actual: list[Any], items: tuple[Item, ...]
) -> None:
    assert observed_items(expected, score(expected, actual)) == items


def test_a_call_is_written_without_what_else_is_known_of_it() -> None:
    made = ToolCall("f", {"x": 2}, id="1", step=1, result="ok")

    assert observed_items([F], score([F], [made])) == (MADE_F,)


def test_calls_that_do_not_count_are_not_written() -> None:
    made = [ToolCall("f", {"x": 2}), ToolCall("f", {"x": 2}), ToolCall("g", {}, failed=True)]

    found = score([F], made, repeated_calls="collapse", failed_calls="ignore")

    assert observed_items([F], found) == (MADE_F,)


@pytest.mark.parametrize(
    ("expected", "actual", "why"),
    [
        ([FORBID], [("delete_all", {})], "delete_all was called, which is forbidden"),
        ([F], [{"name": "f", "arguments": "{broken"}], "arguments that are no JSON object"),
        ([F], [("f", {"x": float("nan")})], "arguments that no file can hold"),
        ([F], [("f", {"x": object()})], "arguments that no file can hold"),
    ],
)
def test_what_must_not_or_cannot_be_written_is_refused(
    expected: list[Any], actual: list[Any], why: str
) -> None:
    found = score(expected, actual)

    with pytest.raises(CannotRewrite, match=why):
        observed_items(expected, found)


def test_what_would_not_be_right_all_the_same_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    found = score([F], [MADE_F])

    def contradict(*_: object) -> None:
        raise InvalidCall("a call is both expected and forbidden")

    for rescored in (lambda *_: found, contradict):
        monkeypatch.setattr("callscore.rewriting.observed.score_calls", rescored)

        with pytest.raises(CannotRewrite, match="would not be right"):
            observed_items([F], found)


def test_what_no_file_can_say_is_not_spelled() -> None:
    assert spelled([F]) == [{"name": "f", "arguments": {"x": 1}}]
    assert spelled([expect.call("f", {"a": {"$x": expect.any()}})]) is None
