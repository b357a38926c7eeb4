"""What is kept of many cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from callscore.core.call import Tool, ToolCall
from callscore.core.case import Case
from callscore.core.results import CaseScore, MetricResult, MetricValue, Noted
from callscore.core.settings import DEFAULT, Settings
from callscore.engines.collector import Collector, ScoreHooks, Show
from callscore.errors import NotScorable
from callscore.formats.plain_cases import PlainDecoder
from callscore.metrics.metric import Metric

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

    from callscore.core.score import Outcome
    from callscore.formats.plain_cases import PlainCase

F = ToolCall("f", {})
RIGHT = Case(id="right", expected=(F,), actual=(F,))
WRONG = Case(id="wrong", expected=(F,), actual=())


def collector(
    show: Show = "failing", max_shown: int | None = 10, hooks: ScoreHooks | None = None
) -> Collector:
    return Collector(DEFAULT, show, max_shown, hooks or ScoreHooks())


def test_a_case_that_does_not_pass_is_kept_to_be_shown() -> None:
    gathered = collector()

    gathered.take(RIGHT)
    gathered.take(WRONG)

    assert [case.id for case in gathered.results().cases] == ["wrong"]


def test_all_or_none_can_be_kept_instead() -> None:
    for show, names in (("all", ["right", "wrong"]), ("none", [])):
        gathered = collector(show)  # type: ignore[arg-type]  # the literals come from a tuple
        gathered.take(RIGHT)
        gathered.take(WRONG)

        assert [case.id for case in gathered.results().cases] == names


def test_beyond_the_limit_they_are_only_counted() -> None:
    gathered = collector(max_shown=1)

    for number in range(3):
        gathered.take(Case(id=str(number), expected=(F,), actual=()))

    results = gathered.results()
    assert [case.id for case in results.cases] == ["0"]
    assert results.not_shown == 2
    assert results.summary.cases == 3


def test_a_case_without_a_side_is_counted_and_named_and_not_scored() -> None:
    gathered = collector()

    gathered.take(Case(id="a", actual=(F,)))
    gathered.take(Case(id="b", expected=(F,)))

    results = gathered.results()
    assert results.not_scored == Noted(1, ("a",))
    assert results.not_run == Noted(1, ("b",))
    assert (results.summary.scored, results.summary.unanswered) == (0, 1)
    assert results.summary.macro_f1 is None


def test_of_many_only_the_first_are_named() -> None:
    gathered = collector()

    for number in range(30):
        gathered.take(Case(id=str(number), actual=()))

    noted = gathered.results().not_scored
    assert noted.count == 30
    assert noted.names == tuple(str(number) for number in range(20))


def test_the_same_id_and_trial_again_is_reported_and_scored() -> None:
    gathered = collector()

    gathered.take(RIGHT)
    gathered.take(RIGHT)
    gathered.take(Case(id="right", trial=1, expected=(F,), actual=(F,)))
    gathered.take(Case(id="right", trial=1, expected=(F,), actual=(F,)))

    results = gathered.results()
    assert results.repeated == Noted(2, ("right", "right #1"))
    assert results.summary.cases == 4


def test_a_name_made_from_the_content_may_repeat() -> None:
    gathered = collector()
    unnamed = Case(id="sha-0123456789ab", expected=(F,), actual=(F,))

    gathered.take(unnamed)
    gathered.take(unnamed)

    assert gathered.results().repeated.count == 0


def test_a_case_to_show_can_be_handed_on_at_once() -> None:
    handed: list[CaseScore] = []
    gathered = collector("all", hooks=ScoreHooks(on_case=handed.append))

    gathered.take(RIGHT)

    assert [case.id for case in handed] == ["right"]
    assert gathered.results().cases == ()


def test_every_outcome_can_be_listened_to() -> None:
    heard: list[tuple[Sequence[Case | PlainCase], Sequence[Outcome]]] = []
    hooks = ScoreHooks(on_outcomes=lambda *found: heard.append(found))
    gathered = collector("none", hooks=hooks)

    gathered.take(RIGHT)
    gathered.take(WRONG)

    assert heard == [([RIGHT], [(1, 1, 1, 0)]), ([WRONG], [(0, 1, 0, 0)])]


def test_trials_of_one_case_are_kept_together() -> None:
    gathered = collector()

    for trial, actual in enumerate([(F,), (), (F,)]):
        gathered.take(Case(id="a", trial=trial, expected=(F,), actual=actual))

    assert gathered.results().summary.pass_hat_k() == [2 / 3, 1 / 3, 0.0]


def test_only_strict_scores_in_any_order_need_no_decoding() -> None:
    flexible = Settings(mode="flexible")

    assert collector("failing", 10).takes_plain
    assert collector("none", None).takes_plain
    assert not collector("all", None).takes_plain
    assert not Collector(flexible, "none", 0, ScoreHooks()).takes_plain
    assert not Collector(Settings(order="exact"), "none", 0, ScoreHooks()).takes_plain


def plain(*lines: str) -> list[PlainCase]:
    return PlainDecoder().decode("\n".join(lines).encode())


SAME = '{"id": "a", "expected": [], "actual": []}'
STRANGE = '{"id": "b", "expected": [{"name": "f", "arguments": null}], "actual": []}'
FAILING = '{"id": "c", "expected": [{"name": "f", "arguments": {}}], "actual": []}'


def never(position: int) -> Case:
    raise AssertionError(position)


def test_plain_cases_are_counted_without_being_read() -> None:
    gathered = collector("none")

    gathered.take_plain(plain(SAME, FAILING), never, lambda _, case: gathered.take(case))

    assert gathered.results().summary.outcomes == {(0, 0, 0, 0): 1, (0, 1, 0, 0): 1}


def test_a_plain_case_that_needs_care_is_read_whole() -> None:
    heard: list[str | int] = []
    gathered = collector(
        hooks=ScoreHooks(on_outcomes=lambda cases, _: heard.extend(case.id for case in cases))
    )

    gathered.take_plain(
        plain(SAME, STRANGE, FAILING), {1: RIGHT, 2: WRONG}.get, lambda _, case: gathered.take(case)
    )

    assert sorted(map(str, heard)) == ["a", "c", "right"]
    assert [case.id for case in gathered.results().cases] == ["wrong"]


def test_a_plain_case_that_cannot_be_read_after_all_is_left_out() -> None:
    gathered = collector()

    gathered.take_plain(plain(STRANGE), lambda _: None, lambda _, case: gathered.take(case))

    assert gathered.results().summary.cases == 0


def test_plain_cases_beyond_the_limit_are_only_counted() -> None:
    gathered = collector(max_shown=1)

    gathered.take_plain(
        plain(FAILING, FAILING.replace("c", "d", 1), STRANGE),
        {0: WRONG}.get,
        lambda _, case: gathered.take(case),
    )

    assert len(gathered.results().cases) == 1
    assert gathered.results().not_shown == 1


def test_plain_cases_with_the_same_id_are_reported() -> None:
    gathered = collector("none")
    trial = SAME.replace("{", '{"trial": 1, ', 1)

    gathered.take_plain(plain(SAME, trial, trial), never, lambda _, case: gathered.take(case))
    gathered.take_plain(plain(SAME), lambda _: None, lambda _, case: gathered.take(case))
    gathered.take(Case(id="a", trial=1, expected=(), actual=()))

    assert gathered.results().repeated == Noted(3, ("a #1", "a"))
    assert gathered.results().summary.trials == {"a": {(0, 0, 0, 0): 3}}


def test_only_so_many_ids_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("callscore.engines.collector._MAX_REMEMBERED", 1)
    gathered = collector("none")

    gathered.take_plain(plain(SAME, FAILING), never, lambda _, case: gathered.take(case))
    gathered.take_plain(plain(FAILING), lambda _: None, lambda _, case: gathered.take(case))
    gathered.take_plain(plain(SAME), lambda _: None, lambda _, case: gathered.take(case))

    assert gathered.results().repeated == Noted(1, ("a",))


def test_a_failing_plain_case_that_cannot_be_read_again_is_counted_and_not_shown() -> None:
    gathered = collector()

    gathered.take_plain(plain(FAILING), lambda _: None, lambda _, case: gathered.take(case))

    assert gathered.results().cases == ()
    assert gathered.results().summary.cases == 1


HALF = Metric("x.half", lambda *_: 0.5, {})


def test_other_tools_are_asked_about_every_scored_case_and_shown_with_those_that_are_shown() -> (
    None
):
    gathered = Collector(DEFAULT, "failing", 10, ScoreHooks(), metrics=[HALF])

    for case in (RIGHT, WRONG, Case(id="a", actual=())):
        gathered.take(case)

    results = gathered.results()
    assert results.metrics == (MetricResult("x.half", 0.5, 2),)
    assert [case.metrics for case in results.cases] == [(MetricValue("x.half", 0.5),)]


def share(expected: Sequence[object], actual: Sequence[object]) -> float:
    if not expected:
        raise NotScorable("nothing is expected.")
    return min(len(actual) / len(expected), 1.0)


SHARE = Metric("a.share", share, {})


def test_each_metric_is_given_the_calls_of_a_case_as_they_are() -> None:
    gathered = Collector(
        DEFAULT, "all", 10, ScoreHooks(), metrics=[SHARE, Metric("b.none", lambda *_: None, {})]
    )

    gathered.take(Case(id="x", expected=(F, F), actual=(F,)))

    assert gathered.results().cases[0].metrics == (
        MetricValue("a.share", 0.5),
        MetricValue("b.none", None, "the tool does not score such a case."),
    )


def test_the_mean_of_a_metric_is_over_the_cases_that_have_a_number() -> None:
    gathered = Collector(DEFAULT, "all", 10, ScoreHooks(), metrics=[SHARE])

    for expected, actual in (((F, F), (F,)), ((F,), (F,)), ((), (F,)), ((), ())):
        gathered.take(Case(id="x", expected=expected, actual=actual))

    assert gathered.results().metrics == (
        MetricResult("a.share", 0.75, 2, Noted(2, ("nothing is expected.",))),
    )


def test_without_metrics_nothing_is_asked() -> None:
    gathered = collector("all")

    gathered.take(RIGHT)

    assert gathered.results().cases[0].metrics == ()
    assert gathered.results().metrics == ()


def test_the_definitions_of_the_tools_are_handed_on_to_metrics() -> None:
    known = Metric("a.known", lambda *_, tools: len(tools), {}, takes_tools=True)
    gathered = Collector(DEFAULT, "all", 10, ScoreHooks(), tools=[{"name": "f"}], metrics=known)

    gathered.take(RIGHT)

    assert gathered.results().metrics == (MetricResult("a.known", 1.0, 1),)


def test_cases_are_decoded_where_somebody_looks_at_each() -> None:
    watching = ScoreHooks(on_score=lambda *_: None)

    assert collector().takes_plain
    assert not collector(hooks=watching).takes_plain
    assert not Collector(DEFAULT, "failing", 10, ScoreHooks(), metrics=[HALF]).takes_plain


def test_whoever_wants_to_is_given_every_case_with_its_score_and_its_tools() -> None:
    seen: list[tuple[str, float, object]] = []
    hooks = ScoreHooks(on_score=lambda case, score, tools: seen.append((case.id, score.f1, tools)))
    gathered = collector(hooks=hooks)

    gathered.take(RIGHT)
    gathered.take(structs.replace(WRONG, tools=["f"]))

    assert seen == [("right", 1.0, None), ("wrong", 0.0, {"f": Tool("f")})]


def test_cases_without_a_score_are_told() -> None:
    told: list[str] = []
    gathered = collector(hooks=ScoreHooks(on_unscored=lambda case: told.append(case.id)))

    gathered.take(RIGHT)
    gathered.take(Case(id="nothing expected", actual=(F,)))
    gathered.take(Case(id="not run", expected=(F,)))

    assert told == ["nothing expected", "not run"]
    assert gathered.results().not_scored == Noted(1, ("nothing expected",))
    assert gathered.results().not_run == Noted(1, ("not run",))
