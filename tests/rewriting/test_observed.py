"""What was observed as a new expectation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from callscore import Case, InvalidCall, ToolCall, expect, score
from callscore.evaluations.evaluation import Evaluation
from callscore.rewriting.change import CannotRewrite, Change, Item, Patch
from callscore.rewriting.observed import (
    Location,
    as_case_data,
    change_at,
    expectation_at,
    line_number_of,
    location_key,
    location_of_case,
    observe_expectation,
)

F, G = expect.call("f", x=1), expect.call("g", y=expect.contains("Paris"))
H = expect.call("h")
MADE_F: dict[str, Any] = {"name": "f", "arguments": {"x": 2}}
MADE_G: dict[str, Any] = {"name": "g", "arguments": {"y": "in Paris"}}
MADE_H: dict[str, Any] = {"name": "h", "arguments": {}}
MADE_K: dict[str, Any] = {"name": "k", "arguments": {}}
FORBID = expect.forbid("delete_*")


X_IS_2 = Patch(call=(0,), path=("x",), value=2)


def _at(*call: int) -> Patch:
    return Patch(call=call, path=("x",), value=2)


@pytest.mark.parametrize(
    ("expected", "actual", "items", "patches"),
    [
        ([F, G], [MADE_F, MADE_G], (0, 1), [_at(0)]),
        ([F, G], [MADE_G, MADE_F], (0, 1), [_at(0)]),
        ([F], [], (), []),
        ([], [MADE_F], (MADE_F,), []),
        ([FORBID, F], [MADE_F], (0, 1), [_at(1)]),
        ([FORBID], [MADE_F], (0, MADE_F), []),
        ([FORBID, G, F], [MADE_G], (0, 1), []),
        ([F], [MADE_G], (MADE_G,), []),
        ([F, G], [MADE_H, MADE_G], (MADE_H, 1), []),
        ([G, FORBID], [MADE_H, MADE_G, MADE_K], (MADE_H, 0, MADE_K, 1), []),
        ([expect.one_of(F, G)], [MADE_F], (0,), [_at(0, 0)]),
        ([expect.one_of(F, G), F], [MADE_G, MADE_F], (0, 1), [_at(1)]),
        ([expect.any_order(H, G), F], [MADE_G, MADE_F, "h"], (0, 1), [_at(1)]),
        ([expect.in_order(H, expect.any_order(G, F))], ["h", MADE_F, MADE_G], (0,), [_at(0, 1, 1)]),
        ([expect.optional(H), G, F], [MADE_G], (0, 1), []),
        ([expect.times(H, min=0), F], [MADE_F], (0, 1), [_at(1)]),
        ([expect.times(F, 2)], [MADE_F, MADE_F], (0,), [_at(0)]),
    ],
)
def test_only_what_was_wrong_changes(
    expected: list[Any], actual: list[Any], items: tuple[Item, ...], patches: list[Patch]
) -> None:
    observed = observe_expectation(expected, score(expected, actual))

    assert (observed.items, list(observed.patches)) == (items, patches)


def test_calls_in_another_order_stay_as_they_are_written() -> None:
    expected = [H, G, expect.call("k")]

    found = observe_expectation(expected, score(expected, ["k", MADE_G, "h"], order="in_order"))

    assert found == ((2, 1, 0), ())


def test_what_is_wrong_is_found_inside_of_arguments() -> None:
    day = {"day": expect.regex("^Mon"), "hours": [1, expect.approx(2), {"a b": 1}], "x": {}}
    expected = [expect.call("f", when=day, gone=1, kept=expect.any())]
    when = {"day": "Monday", "hours": [3, 2.0, {"a b": 4}], "x": {"y": 1}, "new": 5}
    actual = [("f", {"kept": 1, "when": when, "added": 6})]

    found = observe_expectation(expected, score(expected, actual))

    assert {patch.path: patch.value for patch in found.patches} == {
        ("when", "hours", 0): 3,
        ("when", "hours", 2, "a b"): 4,
        ("when", "x"): {"y": 1},
        ("when", "new"): 5,
        ("added",): 6,
        ("gone",): None,
    }
    assert [patch.path for patch in found.patches if patch.is_gone] == [("gone",)]


def test_arguments_that_do_not_count_are_not_added() -> None:
    expected = [expect.call("f", a=1, b=2)]

    found = observe_expectation(
        expected, score(expected, [("f", {"a": 3, "c": 4})], mode="flexible")
    )

    assert [(patch.path, patch.is_gone) for patch in found.patches] == [
        (("a",), False),
        (("b",), True),
    ]


def test_what_does_not_count_stays() -> None:
    expected = [expect.call("get_x", a=expect.any()), expect.call("book", x=1), F, F]
    made = [ToolCall("book", {"x": 2}), ToolCall("f", {"x": 1}), ToolCall("get_y", {})]

    found = observe_expectation(
        expected, score(expected, made, count_calls="writes", repeated_calls="collapse")
    )

    assert found == ((0, 1, 2, 3), (Patch(call=(1,), path=("x",), value=2),))


def test_names_that_are_compared_in_part_are_found_again() -> None:
    expected = [expect.call("api_f", x=1), expect.call("api_g", y=expect.any())]
    found = score(expected, [("f", {"x": 2}), ("g", {"y": 1})], strip_prefix=("api_",))

    assert observe_expectation(expected, found) == ((0, 1), (X_IS_2,))


def test_a_call_is_written_without_what_else_is_known_of_it() -> None:
    made = ToolCall("f", {"x": 2}, id="1", step=1, result="ok")

    assert observe_expectation([], score([], [made])).items == (MADE_F,)


def test_calls_that_do_not_count_are_not_written() -> None:
    made = [ToolCall("f", {"x": 2}), ToolCall("f", {"x": 2}), ToolCall("g", {}, failed=True)]

    found = score([F], made, repeated_calls="collapse", failed_calls="ignore")

    assert observe_expectation([F], found) == ((0,), (X_IS_2,))


@pytest.mark.parametrize(
    ("expected", "actual", "why"),
    [
        ([FORBID], [("delete_all", {})], "a forbidden tool was called: delete_all"),
        ([F], [{"name": "f", "arguments": "{broken"}], "are not a JSON object"),
        ([F], [("f", {"x": float("nan")})], "a value that a file cannot contain"),
        ([F], [("f", {"x": object()})], "a value that a file cannot contain"),
        ([F], [("f", {"x": "\ud800"})], "a value that a file cannot contain"),
        ([F], [("\ud800", {})], "a value that a file cannot contain"),
        ([F], [{"name": None, "arguments": {}}], "a call has no name"),
        ([expect.any_order(H, G), F], [MADE_G, MADE_F], "calls of a group are missing"),
        ([expect.times(F, 2)], [MADE_G], "calls of a group are missing"),
        (
            [expect.times(F, 2)],
            [MADE_F, ("f", {"x": 3})],
            "the repeats of one call have different arguments",
        ),
    ],
)
def test_what_must_not_or_cannot_be_written_is_refused(
    expected: list[Any], actual: list[Any], why: str
) -> None:
    found = score(expected, actual)

    with pytest.raises(CannotRewrite, match=why):
        observe_expectation(expected, found)


def test_what_would_not_be_right_all_the_same_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    found = score([F], [MADE_F])

    def contradict(*_: object) -> None:
        raise InvalidCall("a call is both expected and forbidden")

    for rescored in (lambda *_: found, contradict):
        monkeypatch.setattr("callscore.rewriting.observed.score_calls", rescored)

        with pytest.raises(
            CannotRewrite,
            match="with these settings, no list of expected calls matches the actual calls",
        ):
            observe_expectation([F], found)


def test_what_no_file_can_say_is_not_spelled() -> None:
    assert as_case_data([F]) == [{"name": "f", "arguments": {"x": 1}}]
    assert as_case_data([expect.call("f", {"a": {"$x": expect.any()}})]) is None


# Where something is expected, and what is to be written there.

SPOT = Location("x[a]", "case", ("x.jsonl",), line=3, case="a", input="hi")


def test_a_case_may_stand_in_the_file_of_its_evaluation_and_in_those_it_names() -> None:
    def files(cases: object) -> list[str]:
        evaluation = Evaluation(
            name="x", task=print, cases=cases, place="evals/eval_x.py:7", folder="/project/evals"
        )
        return list(location_of_case("x[a]", evaluation, Case("hi", id="a")).files)

    own = "/project/evals/eval_x.py"
    assert files([Case("hi", id="a")]) == [own]
    assert files("cases.jsonl") == [own, "/project/evals/cases.jsonl"]
    assert files(Path("../c.yaml")) == [own, "/project/evals/../c.yaml"]
    assert files([Case("hi"), Path("/c.yaml")]) == [own, "/c.yaml"]
    assert files(list) == [own]


def test_a_place_has_a_line_or_none() -> None:
    assert line_number_of("evals/eval_x.py:7") == 7
    assert line_number_of("evals/eval_x.yaml") == 0


def test_places_are_told_apart() -> None:
    changes = [
        Change(label="x", kind="call", files=("f.py",), line=1, end=(1, 4)),
        Change(label="x", kind="call", files=("f.py",), line=1, end=(1, 8)),
        Change(label="x", kind="marker", files=("f.py",), line=1),
        Change(label="x", files=("f.py",), case="a"),
        Change(label="x", files=("f.py",), case="b"),
    ]

    assert len(set(map(location_key, changes))) == len(changes)


def test_a_change_says_what_stands_there_and_what_should() -> None:
    wanted = [expect.call("f"), expect.call("g", {"n": 1})]

    change = change_at(SPOT, wanted, score(wanted, ["f", "h"]), width=60)

    assert (change.label, change.files, change.case, change.line) == ("x[a]", ("x.jsonl",), "a", 3)
    assert change.expected == [{"name": "f"}, {"name": "g", "arguments": {"n": 1}}]
    assert change.items == (0, {"name": "h", "arguments": {}})
    assert "- g(n=1)" in change.shown


def test_of_what_is_right_nothing_is_to_be_written() -> None:
    wanted = [expect.call("f")]

    change = expectation_at(SPOT, wanted)

    assert (change.expected, change.items, change.shown) == ([{"name": "f"}], (), "")


def test_what_no_file_can_make_right_is_refused() -> None:
    wanted = [expect.forbid("g")]

    with pytest.raises(CannotRewrite, match="a forbidden tool was called: g"):
        change_at(SPOT, wanted, score(wanted, ["g"]), width=60)


def test_a_secret_of_the_environment_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", "a-token-of-mine")
    wanted = [expect.call("f", k="x", n=1)]
    found = score(wanted, [("f", {"k": "a-token-of-mine", "n": 1})])

    with pytest.raises(CannotRewrite, match="a secret of the environment is in its calls"):
        change_at(SPOT, wanted, found, width=60)
