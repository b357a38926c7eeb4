"""A case of a comparison in an HTML report: its trials in both runs, and where the runs part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.comparing.sides_made_up import a_case, a_side, an_error, scored

from callscore import expect, score
from callscore.comparing.case_pairs import CasePair, case_pairs
from callscore.core.call import ToolCall
from callscore.core.case import Case
from callscore.core.results import Failure, Result, SavedScore
from callscore.reports.html.compared_trials import ComparedItem, TrialWriter, compared_item

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.comparing.sides import TrialOutcome

EXPECTED = [("search", {"city": "Oslo"}), ("book", {"seats": 2})]


def a_result(actual: Any, name: str = "trip", **fields: Any) -> Result:
    found = score(EXPECTED, actual)
    case = Case(id=name, actual=found.actual, **fields)
    return Result(case=case, score=found, passed=found.passed)


def a_pair(before: TrialOutcome | None, after: TrialOutcome | None) -> CasePair:
    sides = [
        a_side(*([] if outcome is None else [a_case("trip", outcome)]))
        for outcome in (before, after)
    ]
    [pair] = case_pairs(sides[0], sides[1])
    return pair


def item(
    before: Sequence[Result], after: Sequence[Result], pair: CasePair | None = None
) -> ComparedItem:
    write = TrialWriter("en")
    first, second = ([write(result) for result in results] for results in (before, after))
    return compared_item((pair or a_pair(scored(), scored(False)), first, second), "en")


def parts_at(before: Any, after: Any) -> Any:
    return msgspec.json.decode(item([a_result(before)], [a_result(after)]).view)["parts_at"]


def test_both_runs_are_shown_against_the_expectation() -> None:
    found = item([a_result(EXPECTED)], [a_result([("search", {"city": "Rome"})])])

    view = msgspec.json.decode(found.view)
    assert [trial["status"] for trial in view["before"]] == ["passed"]
    [after] = view["after"]
    assert [row["mark"] for row in after["rows"]] == ["~", "-"]
    assert view["parts_at"] == 0
    assert view["reasons"] == ["F1: 100.0% → 0.0%"]


@pytest.mark.parametrize(
    ("before", "after", "position"),
    [
        (EXPECTED, EXPECTED, None),
        (EXPECTED, [EXPECTED[0], ("book", {"seats": 3})], 1),
        (EXPECTED, [EXPECTED[0], ("cancel", {"seats": 2})], 1),
        (EXPECTED, EXPECTED[:1], 1),
        (EXPECTED[:1], EXPECTED, 1),
        (EXPECTED, [], 0),
        ([], [], None),
        # As JSON values these are the same.
        ([("book", {"seats": 2, "bags": [1]})], [("book", {"bags": [1.0], "seats": 2.0})], None),
    ],
)
def test_the_runs_part_at_the_first_call_that_differs(
    before: Any, after: Any, position: int | None
) -> None:
    assert parts_at(before, after) == position


def test_arguments_that_were_not_recorded_differ_from_recorded_ones() -> None:
    unknown = ToolCall("book", None, error="not captured")
    case = Case(id="trip", actual=(unknown,))
    known = Case(id="trip", actual=(ToolCall("book", {"seats": 2}),))

    same = item([Result(case=case)], [Result(case=case)])
    other = item([Result(case=case)], [Result(case=known)])

    assert msgspec.json.decode(same.view)["parts_at"] is None
    assert msgspec.json.decode(other.view)["parts_at"] == 0


def test_the_list_shows_the_second_run() -> None:
    found = item(
        [a_result(EXPECTED, tags=["old"])],
        [a_result([("search", {"city": "Rome"}), EXPECTED[1]], tags=["new"])],
    )

    assert (found.row.status, found.row.score, found.row.tags) == ("failed", 0.5, ("new",))
    assert [(each.kind, each.tool, each.argument) for each in found.row.problems] == [
        ("value", "search", "city")
    ]
    assert (found.changed.change, found.changed.before, found.changed.after) == (
        *("broken", (1, 1)),
        (0, 1),
    )


def test_a_case_of_the_first_run_alone_is_shown_as_it_was() -> None:
    found = item([a_result(EXPECTED[:1])], [], a_pair(scored(), None))

    assert (found.row.status, found.row.tools) == ("failed", ("search", "book"))
    assert (found.changed.change, found.changed.after) == ("only_before", None)
    assert msgspec.json.decode(found.view)["after"] == []
    assert msgspec.json.decode(found.view)["parts_at"] is None


def test_several_trials_are_one_line_of_the_list() -> None:
    trials = [a_result(EXPECTED, trial=1), a_result([], trial=2), a_result(EXPECTED[:1], trial=3)]
    outcomes = scored(), scored(False), scored(False)
    before, after = a_side(a_case("trip", *outcomes)), a_side(a_case("trip", *outcomes))
    [pair] = case_pairs(before, after)

    found = item(trials, trials, pair)

    assert (found.row.trial, found.row.status) == (None, "failed")
    assert found.row.score == pytest.approx((1 + 0 + 2 / 3) / 3)
    assert found.changed.before == found.changed.after == (1, 3)
    assert {each.kind for each in found.row.problems} == {"missed"}
    view = msgspec.json.decode(found.view)
    assert [trial["trial"] for trial in view["after"]] == [1, 2, 3]


def test_a_case_passes_if_more_than_half_of_its_trials_do() -> None:
    trials = [a_result(EXPECTED, trial=1), a_result(EXPECTED, trial=2), a_result([], trial=3)]
    sides = [a_side(a_case("trip", scored(), scored(), scored(False))) for _ in range(2)]
    [pair] = case_pairs(*sides)

    assert item(trials, trials, pair).row.status == "passed"


def test_a_trial_without_an_answer_is_an_error_with_its_reason() -> None:
    failure = Failure(case="trip", kind="timeout", problem="no answer within 60 seconds")
    failed = Result(case=Case(id="trip"), status="error", failure=failure)
    pair = a_pair(scored(), an_error("no answer within 60 seconds"))

    found = item([a_result(EXPECTED)], [failed], pair)

    assert found.row.status == "error"
    assert [(each.kind, each.detail) for each in found.row.problems] == [("error", "timeout")]
    view = msgspec.json.decode(found.view)
    assert "no answer: no answer within 60 seconds" in view["reasons"]
    assert view["after"][0]["failure"]["problem"] == "no answer within 60 seconds"


def test_nothing_that_can_pass_or_fail_has_no_count() -> None:
    undecided = Result(case=Case(id="trip", actual=()), status="not_scored")

    found = item([undecided], [undecided], a_pair(scored(None), scored(None)))

    assert (found.changed.change, found.changed.before, found.changed.after) == (
        *("same", None),
        None,
    )
    assert found.row.status == "unscored"


def test_a_score_that_cannot_be_computed_again_has_what_the_history_has_of_it() -> None:
    stored = {"pairs": [[0, 0, False]], "missed": [1], "extra": []}
    case = Case(
        id="trip",
        expected=[{"name": "search"}, {"name": "book"}],
        actual=(ToolCall("search", {"city": "Rome"}),),
    )
    saved = SavedScore(f1=0.0, counts=(0, 1, 1, 0, 2, 1, 0), comparison=stored)
    write = TrialWriter("en")

    line = write(Result(case=case, passed=False, saved=saved))

    assert not write.is_whole
    found = compared_item((a_pair(scored(), scored(False)), [line], [line]), "en")
    [view] = msgspec.json.decode(found.view)["after"]
    assert [row["mark"] for row in view["rows"]] == ["~", "-"]
    assert found.row.tools == ("search", "book")


def test_the_scores_that_were_written_are_added_up() -> None:
    write = TrialWriter("en")

    write(a_result([("search", {"city": "Rome"}), ("pay", {})]))

    assert write.is_whole
    assert write.summary.confusion == {("book", "pay"): 1}


def test_each_trial_has_the_command_that_shows_it() -> None:
    explain = TrialWriter("en", case_command="callscore explain 'my cases.jsonl' --case")
    show = TrialWriter("en", case_command="callscore show 2026")

    def command(line: bytes) -> Any:
        return msgspec.json.decode(line.partition(b"\t")[2]).get("command")

    assert command(explain(a_result([], "a b", trial=2))) == (
        "callscore explain 'my cases.jsonl' --case 'a b' --trial 2"
    )
    assert command(show(a_result([], "a", trial=2), "weather [small]")) == (
        "callscore show 2026 'weather [small]::a'"
    )
    assert command(show(a_result([], "-a"))) is None
    assert command(show(a_result([], "a\nb"))) is None


def test_secrets_are_hidden_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "sk-1234567890abcdef"  # noqa: S105  (made up)
    monkeypatch.setenv("SERVICE_API_KEY", secret)
    result = a_result(
        [("search", {"city": secret}), (secret, {})],
        secret,
        input=f"my key: {secret}",
        tags=[secret],
    )
    sides = a_side(a_case(secret, True)), a_side(a_case(secret, an_error(f"bad key {secret}")))
    [pair] = case_pairs(*sides)
    write = TrialWriter("en", case_command=f"callscore explain {secret}.jsonl --case")
    lines = [write(result, f"evaluation {secret}")]

    found = compared_item((pair, lines, lines), "en")

    assert secret.encode() not in lines[0]
    assert secret.encode() not in found.view
    assert secret not in repr(found.row)
    assert b"[hidden " in found.view


def test_hostile_text_is_data() -> None:
    hostile = "</script>\u202e\ud800\x00\t\n"

    found = item([a_result([(hostile, {hostile: hostile})], hostile)], [a_result([], hostile)])

    assert b"\n" not in found.view
    view = msgspec.json.decode(found.view)
    assert view["before"][0]["rows"][0]["mark"] in "-+"
    assert "</script>" in view["before"][0]["id"]


def test_the_same_answer_under_other_settings_does_not_part() -> None:
    calls = (ToolCall("get_user", {}), ToolCall("book", {"seats": 2}))
    results = [
        Result(case=Case(id="trip", actual=calls), score=score(EXPECTED, calls, preset=preset))
        for preset in ("strict", "outcome")
    ]

    found = msgspec.json.decode(item(results[:1], results[1:]).view)

    before, after = (found[side][0]["rows"] for side in ("before", "after"))
    assert len(before) > len(after)
    assert found["parts_at"] is None


def test_a_case_has_the_first_turn_that_went_wrong_in_a_trial() -> None:
    expected = [expect.turn("a"), expect.turn("b"), expect.turn("c")]
    made = [ToolCall(name, {}, turn=at) for at, name in enumerate("abc")]
    scores = [score(expected, made[:count]) for count in (3, 2, 1)]
    all_right, third, second = (
        Result(case=Case(id="trip", actual=each.actual), score=each, passed=each.passed)
        for each in scores
    )

    assert item([second], [all_right]).row.turn is None
    assert item([all_right], [third, second]).row.turn == 2
