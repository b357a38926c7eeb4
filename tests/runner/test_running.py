"""A run, from the plan to its results: what is asked, what is kept, and what is said."""

from __future__ import annotations

import asyncio
import os
import signal
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace
from tests.history.made_up import fill_up
from tests.runner.agents import RIGHT, a_case, a_plan, an_evaluation
from tests.servers.openai_server import Reply, openai_server

import callscore
from callscore import Settings, expect, models
from callscore.core.results import CaseTrials, JudgeCounts, Noted, Result, Usage
from callscore.errors import InvalidSettings, MissingKey, UnknownRun
from callscore.evaluations.plan import make_plan
from callscore.history.counting import count_results
from callscore.history.database import fetch_all
from callscore.history.opening import open_store
from callscore.history.run_lookup import list_runs
from callscore.models.limits import Rate
from callscore.runner import event_loop
from callscore.runner.running import RunHooks, RunOptions, run

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.core.case import Case
    from callscore.evaluations.evaluation import Question
    from callscore.evaluations.plan import Plan
    from callscore.history.store import Store

PATHS = {"paths": ["evals"]}
ONE_BY_ONE = RunOptions(jobs=1, arguments=PATHS)
RESUMED = RunOptions(jobs=1, arguments=PATHS, resume=True)
CACHED = RunOptions(jobs=1, arguments=PATHS, use_cache=True)
MANY = [a_case(f"case-{number}") for number in range(12)]


class Agent:
    """Answers rightly, and notes what it was asked; some it gets wrong."""

    def __init__(self, *wrong: str) -> None:
        self.asked: list[str] = []
        self._wrong = wrong

    def __call__(self, case: Case, **_: Any) -> Any:
        self.asked.append(case.id)
        return [] if case.id in self._wrong else RIGHT


# --- what it comes to -----------------------------------------------------------------------------


def test_variants_trials_and_skipped_cases_are_told_apart(store: Store) -> None:
    asked = a_plan(
        Agent("b"),
        a_case("a"),
        a_case("b"),
        a_case("c", skip="too dear"),
        variants={"small": {"size": 1}, "large": {"size": 2}},
        trials=2,
    )

    found = run(asked, RunOptions(), store=store)

    assert [each.variant for each in found.evaluations] == ["small", "large"]
    for each in found.evaluations:
        assert (each.answered, each.passed) == (4, 2)
        assert sorted(each.trials, key=lambda one: one.case) == [
            CaseTrials("a", 2, 2),
            CaseTrials("b", 2, 0),
        ]
        assert each.skipped == Noted(1, ("c: too dear",))
    kept = Counter((one.evaluation, one.case, one.trial) for one in store.results(found.id))
    assert set(kept.values()) == {1}
    assert len(kept) == 8
    assert store.find(found.id).totals["skipped"] == 2


@pytest.mark.parametrize("trials", [1, 4])
def test_a_run_under_way_has_the_same_numbers_as_when_it_is_over(store: Store, trials: int) -> None:
    asked_before: Counter[str] = Counter()

    def agent(case: Case) -> Any:
        asked_before[case.id] += 1
        if case.id == "lost" or (case.id == "flaky" and asked_before["flaky"] == 2):
            raise RuntimeError("no answer")
        is_right = case.id == "right" or asked_before[case.id] % 2
        return [*RIGHT, *RIGHT] if case.id == "half" else RIGHT if is_right else []

    asked = a_plan(
        agent,
        *map(a_case, ("right", "flaky", "half", "lost")),
        a_case("open", expected=UNSET),
        trials=trials,
    )

    found = run(asked, ONE_BY_ONE, store=store)
    (over,) = list_runs(store)[0].evaluations
    counted = count_results(
        [
            (each.evaluation, each.case, each.status, each.passed, each.f1)
            for each in store.results(found.id)
        ]
    )[0]

    assert over.tally.errors == (1 if trials == 1 else 5)
    assert (over.tally.cases, over.tally.decided) == (5, 4)
    assert over.tally.answered == 5 * trials - over.tally.errors
    assert over.tally.f1 == pytest.approx(counted.f1)
    assert over.tally.share == pytest.approx(counted.share)
    assert replace(over.tally, f1=None, share=None) == replace(counted, f1=None, share=None)


def test_a_model_that_cannot_be_asked_is_said_once_and_the_others_are_asked() -> None:
    chat = models.chat("small", base_url="https://models.invalid/v1")
    variants = {"cold": {"temperature": 0}, "warm": {"temperature": 1}}
    asked = make_plan(
        [an_evaluation(chat, name="model", variants=variants), an_evaluation(Agent(), name="mine")]
    )

    found = run(asked)
    perhaps = run(asked, CACHED)

    assert [each.name for each in found.evaluations] == ["mine"]
    assert len(found.unloaded) == 1
    assert "OPENAI_API_KEY" in found.unloaded[0].problem
    assert [each.errors for each in perhaps.evaluations] == [1, 1, 0]


# --- kept answers -----------------------------------------------------------------------------------


def test_cached_answers_are_not_used_if_the_input_or_the_task_has_changed(store: Store) -> None:
    agent = Agent()
    before = replace(an_evaluation(agent, *map(a_case, "ab")), source="aa")
    run(make_plan([before]), CACHED, store=store)
    agent.asked.clear()

    def asked_now(changed: Plan) -> list[str]:
        run(changed, CACHED, store=store)
        told = list(agent.asked)
        agent.asked.clear()
        return told

    # What is expected, and how it is scored, has no part in the answer.
    other = an_evaluation(agent, a_case("a", expected=[]), a_case("b"), scorers=["exact"])
    assert asked_now(make_plan([replace(other, source="aa")])) == []
    inputs = an_evaluation(agent, a_case("a", input="Now what?"), a_case("b"))
    assert asked_now(make_plan([replace(inputs, source="aa")])) == ["a"]
    assert asked_now(make_plan([replace(before, source="changed")])) == ["a", "b"]
    assert asked_now(make_plan([before], trials=2)) == ["a", "b"]
    assert asked_now(make_plan([replace(before, key="eval_b.py::other")])) == ["a", "b"]
    offered = an_evaluation(agent, *map(a_case, "ab"), tools=["get_weather"])
    assert asked_now(make_plan([replace(offered, source="aa")])) == ["a", "b"]


def test_the_same_request_has_one_answer_whatever_evaluation_it_is_for(store: Store) -> None:
    with openai_server(lambda *_: Reply(text="Hi")) as server:
        chat = models.chat("small", base_url=server.base_url)
        first = run(a_plan(chat, a_case("a")), CACHED, store=store)
        other = a_plan(chat, a_case("b", input="Ask about a"), name="other")
        second = run(other, CACHED, store=store)
        warm = {"warm": {"temperature": 1}}
        third = run(a_plan(chat, a_case("a"), variants=warm), CACHED, store=store)

    assert len(server.requests) == 2
    assert first.evaluations[0].usage == third.evaluations[0].usage == Usage(1, 20, 10)
    assert (second.evaluations[0].usage, second.evaluations[0].reused) == (Usage(), 1)


# --- going on ----------------------------------------------------------------------------------------


def stop_after(count: int) -> RunHooks:
    """Press Ctrl-C once after so many answers."""
    seen: list[Any] = []

    def done(question: Question, _: Result) -> None:
        seen.append(question)
        if len(seen) == count:
            os.kill(os.getpid(), signal.SIGINT)

    return RunHooks(on_done=done)


def test_a_run_that_is_asked_to_stop_ends_as_after_ctrl_c(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("callscore.runner.running._SECONDS_BETWEEN_LOOKS", 0.01)
    asked = Agent()
    begun: list[str] = []

    async def ask(case: Case) -> Any:
        if case.id == "case-4":
            store.request_stop(begun[0])
            await asyncio.sleep(600)
        return asked(case)

    stopped = run(a_plan(ask, *MANY), ONE_BY_ONE, RunHooks(on_begun=begun.append), store)
    saved = store.find(stopped.id)
    resumed = run(a_plan(asked, *MANY), RESUMED, store=store)

    assert begun == [stopped.id]
    assert (stopped.is_interrupted, saved.status) == (True, "interrupted")
    assert saved.totals["planned_trials"] == len(MANY)
    assert (resumed.id, resumed.is_interrupted) == (stopped.id, False)
    assert (store.find(resumed.id).status, resumed.evaluations[0].passed) == ("finished", 12)


def test_an_interrupted_run_goes_on_and_asks_nothing_twice(store: Store) -> None:
    agent = Agent()
    asked = a_plan(agent, *MANY)

    first = run(asked, ONE_BY_ONE, stop_after(5), store)
    kept = len(list(store.results(first.id)))
    assert store.find(first.id).status == "interrupted"
    second = run(asked, RESUMED, store=store)

    assert first.is_interrupted
    assert first.evaluations[0].answered == kept < len(MANY)
    assert second.id == first.id
    assert (second.evaluations[0].answered, second.evaluations[0].errors) == (len(MANY), 0)
    assert second.evaluations[0].reused >= kept
    repeated = [case for case, count in Counter(agent.asked).items() if count > 1]
    assert len(repeated) <= 1  # what was being asked when it was stopped
    assert store.find(first.id).status == "finished"
    assert len(list(store.results(first.id))) == len(MANY)
    with pytest.raises(UnknownRun):
        run(asked, RESUMED, store=store)


def test_a_run_that_goes_on_with_other_text_says_so(store: Store) -> None:
    agent = Agent()
    before = replace(an_evaluation(agent, *MANY), source="aa", place="eval_a.py:3")
    run(make_plan([before]), ONE_BY_ONE, stop_after(5), store)
    notes: list[str] = []

    found = run(
        make_plan([replace(before, source="bb")]), RESUMED, RunHooks(on_note=notes.append), store
    )

    assert list(found.warnings) == notes
    assert notes[0].startswith("eval_a.py has changed since the run began")
    assert found.evaluations[0].reused >= 5


def test_the_second_ctrl_c_ends_it_at_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_loop, "_SAME_PRESS_SECONDS", -1.0)  # however soon it comes

    def done(*_: Any) -> None:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        run(a_plan(Agent(), *MANY), ONE_BY_ONE, RunHooks(on_done=done), store)

    assert [one.status for one in store.runs()] == ["running"]
    assert run(a_plan(Agent(), *MANY), RESUMED, store=store).evaluations[0].passed == len(MANY)


# --- a history that breaks ----------------------------------------------------------------------------


def test_a_run_goes_on_where_the_disk_is_full(store: Store) -> None:
    cases = [a_case(f"case-{at}", metadata={"text": os.urandom(600).hex()}) for at in range(40)]
    notes: list[str] = []
    fill_up(store, 8)

    found = run(a_plan(Agent(), *cases), RunOptions(), RunHooks(on_note=notes.append), store)

    assert found.evaluations[0].passed == 40
    assert list(found.warnings) == notes
    assert "the run was not saved completely: " in notes[0]
    assert "the disk is full" in notes[0]
    assert 0 < len(list(store.results(found.id))) < 40


def test_a_run_goes_on_where_the_history_is_deleted(store: Store) -> None:
    path = store.path
    assert path is not None

    def delete(question: Question, _: Any) -> None:
        if question.case.id == "case-3":
            path.unlink()

    found = run(a_plan(Agent(), *MANY), ONE_BY_ONE, RunHooks(on_done=delete), store)

    assert found.evaluations[0].passed == len(MANY)
    assert "was moved or deleted while" in found.warnings[0]


def test_where_no_run_can_begin_there_are_no_earlier_answers_either(store: Store) -> None:
    assert store.path is not None
    store.path.unlink()

    found = run(a_plan(Agent(), *MANY), RunOptions(use_cache=True), store=store)

    assert (found.id, found.evaluations[0].passed) == ("", len(MANY))
    assert "the history cannot be used" in found.warnings[0]


# --- odd things ---------------------------------------------------------------------------------------

ODD = ["a b", "a/b", "…", "🌍", "tab\there", "line\nbreak", "nul\x00", "%s", "'; DROP", "x" * 5_000]


def test_cases_may_be_called_anything(store: Store) -> None:
    agent = Agent()
    asked = a_plan(agent, *map(a_case, ODD))

    first = run(asked, CACHED, store=store)
    second = run(asked, CACHED, store=store)

    assert agent.asked == ODD
    assert (first.evaluations[0].passed, second.evaluations[0].reused) == (len(ODD), len(ODD))
    kept = [one.case for one in store.results(second.id)]
    assert kept == [name.replace("\x00", "\\u0000") for name in ODD]


def test_malformed_arguments_and_huge_integers_are_kept_as_they_came(store: Store) -> None:
    answers = {
        "broken": [{"name": "get_weather", "arguments": '{"city": "Par'}],
        "huge": [{"name": "get_weather", "arguments": {"city": 10**400}}],
    }
    asked = a_plan(
        lambda case: answers[case.id],
        a_case("broken"),
        a_case("huge", expected=[("get_weather", {"city": 10**400})]),
    )

    found = run(asked, RunOptions(jobs=1), store=store)

    assert (found.evaluations[0].passed, found.errors) == (1, 0)
    broken, huge = store.results(found.id)
    assert (broken.answer, huge.answer) == (answers["broken"], answers["huge"])
    assert broken.calls is not None
    assert broken.calls[0]["raw"] == '{"city": "Par'


def test_a_run_goes_on_with_what_is_there_where_nothing_can_be_written(store: Store) -> None:
    asked: list[str] = []

    def dying(case: Case) -> Any:
        asked.append(case.id)
        if asked == ["a", "b"]:
            signal.raise_signal(signal.SIGINT)
        return RIGHT

    plan = a_plan(dying, a_case("a"), a_case("b"), a_case("c"))
    run(plan, RunOptions(jobs=1, arguments=PATHS), store=store)
    before = list(asked)
    with store.reading() as connection:
        [(used,)] = fetch_all(connection, "PRAGMA page_count")
        fetch_all(connection, f"PRAGMA max_page_count = {used}")
        fetch_all(connection, "PRAGMA query_only = ON")
    found = run(plan, RESUMED, store=store)

    assert found.evaluations[0].passed == 3
    assert found.evaluations[0].reused >= 1
    assert asked.count("a") == 1
    assert len(before) < 3
    assert any(warning.startswith("the run was not saved completely") for warning in found.warnings)


# Evaluations run from Python.

FILE = """
from callscore import Case, evaluation

@evaluation(cases=[Case("a", id="a", expected=[])])
def assistant(case):
    return []
"""


def right(_: Any) -> Any:
    return RIGHT


def test_evaluations_are_run_and_nothing_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    found = callscore.evaluate(an_evaluation(right), an_evaluation(right, name="other"))

    assert [each.passed for each in found.evaluations] == [1, 1]
    assert found.id == ""
    assert list(tmp_path.iterdir()) == []


def test_files_and_folders_will_do(tmp_path: Path) -> None:
    (tmp_path / "eval_a.py").write_text(FILE, encoding="utf-8")
    (tmp_path / "eval_b.py").write_text("import nothing_like_it", encoding="utf-8")

    found = callscore.evaluate(tmp_path, an_evaluation(right, name="other"))
    named = callscore.evaluate(str(tmp_path / "eval_a.py"))

    assert [each.name for each in found.evaluations] == ["assistant", "other"]
    assert len(found.unloaded) == 1
    assert [each.name for each in named.evaluations] == ["assistant"]
    assert not named.unloaded


def test_a_run_can_be_kept_and_its_answers_be_taken_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    first = callscore.evaluate(an_evaluation(right), save=True)

    second = callscore.evaluate(an_evaluation(right), save=True, cache=True)
    elsewhere = callscore.evaluate(an_evaluation(right), save=tmp_path / "other.db", cache=True)

    assert [each.evaluations[0].reused for each in (first, second, elsewhere)] == [0, 1, 0]
    with open_store() as store:
        assert {run.id for run in store.runs()} == {first.id, second.id}


def test_a_run_is_kept_in_the_history_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    first = callscore.evaluate(an_evaluation(right), store="mine.db")
    second = callscore.evaluate(an_evaluation(right), save=True, store="mine.db", cache=True)

    assert [each.evaluations[0].reused for each in (first, second)] == [0, 1]
    with open_store("mine.db") as store:
        assert [run.id for run in store.runs()] == [second.id, first.id]
    assert not (tmp_path / ".callscore").exists()


def test_no_other_process_is_started_for_a_run_from_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fork", lambda: pytest.fail("a copy of the process"))

    found = callscore.evaluate(an_evaluation(right), save=tmp_path / "history.db")

    assert found.evaluations[0].passed == 1


@pytest.mark.parametrize("rate", ["1000/s", 1000, Rate(1000), None])
def test_a_rate_may_be_written_in_several_ways(rate: Any) -> None:
    assert callscore.evaluate(an_evaluation(right), rate=rate).evaluations[0].passed == 1


def test_anything_else_is_refused() -> None:
    what: Any = 3

    with pytest.raises(InvalidSettings, match="3 is not an evaluation or the path"):
        callscore.evaluate(what)


def test_evaluate_works_where_an_event_loop_runs_already() -> None:
    async def cell() -> callscore.RunResults:
        return callscore.evaluate(an_evaluation(right))

    assert asyncio.run(cell()).evaluations[0].passed == 1


def test_a_client_that_a_module_holds_works_in_the_next_run_too() -> None:
    lock = asyncio.Lock()

    async def task(_: Any) -> Any:
        async with lock:
            await asyncio.sleep(0)
            return RIGHT

    cases = [a_case(name) for name in "abc"]
    for _ in range(2):
        assert callscore.evaluate(an_evaluation(task, *cases)).evaluations[0].passed == 3


@pytest.mark.parametrize(
    "options",
    [
        *({"rate": "fast"}, {"rate": 0}, {"timeout": 0}, {"retries": -1}, {"jobs": 0}),
        {"save": "a.db", "store": "b.db"},  # one history is named, and not two
        {"cache": True},  # answers are in a history
    ],
)
def test_an_option_that_cannot_be_is_refused_before_anything_is_asked(
    options: dict[str, Any],
) -> None:
    told: list[Any] = []

    with pytest.raises(InvalidSettings):
        callscore.evaluate(an_evaluation(told.append), **options)

    assert told == []


# The judges of a run.


class Keyless:
    """A judge who says whether he can be asked."""

    problem = "the disk is full"

    def __call__(self, *_: Any) -> bool:
        return True

    def counts(self) -> JudgeCounts:
        return JudgeCounts("keyless")

    def remember_in(self, store: Any) -> None:
        """Nothing is remembered."""

    def require(self) -> None:
        raise MissingKey("there is no key")


def judged(settings: Settings, *arguments: Any) -> tuple[Plan, list[str]]:
    """A plan with such arguments expected, and the names of what was asked."""
    asked: list[str] = []

    def task(case: Case) -> Any:
        asked.append(case.id)
        return RIGHT

    cases = [
        a_case(f"case-{at}", expected=[expect.call("get_weather", city=each)])
        for at, each in enumerate(arguments)
    ]
    return a_plan(task, *cases, settings=settings), asked


@pytest.mark.parametrize(
    "argument", [expect.judge("A city?"), [expect.one_of(expect.judge("A city?"), "Rome")]]
)
def test_a_judge_that_is_not_there_is_missed_before_anything_is_asked(argument: Any) -> None:
    plan, asked = judged(Settings(), "Paris", argument)

    with pytest.raises(InvalidSettings, match=r"assistant: '\$judge' needs a judge"):
        run(plan)
    assert asked == []


def test_a_judge_without_a_key_is_found_out_before_anything_is_asked(store: Store) -> None:
    plan, asked = judged(Settings(judge=Keyless()), expect.judge("A city?"))

    with pytest.raises(MissingKey):
        run(plan)
    assert asked == []
    assert run(plan, RunOptions(use_cache=True), store=store).evaluations[0].passed == 1


def test_real_judges_ask_nothing_that_the_history_remembers(store: Store) -> None:
    from callscore import expect

    case = a_case(expected=[("get_weather", {"city": expect.judge("is it Paris?")})])
    verdict = Reply(text='{"verdict": true, "reason": "It is."}')
    with openai_server(lambda *_: verdict) as server:
        runs = []
        for _ in range(2):
            judge = models.judge("strict", base_url=server.base_url)
            plan = a_plan(lambda _: RIGHT, case, judge=judge)
            runs.append(run(plan, store=store))

    assert [found.evaluations[0].passed for found in runs] == [1, 1]
    assert [found.judges for found in runs] == [
        (JudgeCounts("strict", 1, 1),),
        (JudgeCounts("strict", 1, 0),),
    ]
    assert len(server.requests) == 1
