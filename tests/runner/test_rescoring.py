"""Kept answers that are scored again: nobody is asked, and nothing is made up."""

from __future__ import annotations

import gc
import os
import signal
import warnings
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from msgspec import UNSET
from tests.runner.agents import RIGHT, WEATHER, a_case, a_plan, an_evaluation
from tests.servers.openai_server import OpenAIServer, Reply, openai_server

from callscore import evaluation, expect, models
from callscore.core.results import CaseTrials, JudgeCounts, Result, Usage
from callscore.errors import MissingConsent
from callscore.evaluations.locations import file_of_location
from callscore.evaluations.plan import make_plan
from callscore.models.consent import parse_server
from callscore.runner.rescoring import RescoreOptions, rescore
from callscore.runner.running import RunHooks, RunOptions, run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callscore.core.results import RunResults
    from callscore.evaluations.plan import Plan
    from callscore.history.store import Store

EXTRA = [{"name": "get_weather", "arguments": {"city": "Paris", "unit": "C"}}]
FLEXIBLE = RescoreOptions(settings={"mode": "flexible"})


def ran(store: Store, asked: Plan) -> RunResults:
    return run(asked, RunOptions(jobs=1), store=store)


def again(
    store: Store, options: RescoreOptions | None = None, hooks: RunHooks | None = None
) -> RunResults:
    latest = store.find("latest")
    return rescore(store, latest, options or RescoreOptions(), hooks or RunHooks())


def test_the_same_settings_give_the_same_and_nobody_is_asked(store: Store) -> None:
    asked: list[str] = []

    def agent(case: Any, *, city: str) -> Any:
        asked.append(case.id)
        return [("get_weather", {"city": city})]

    variants = {"north": {"city": "Oslo"}, "south": {"city": "Paris"}}
    cases = [a_case("a"), a_case("b", expected=UNSET), a_case("c/…", tags=["smoke"])]
    first = ran(
        store,
        a_plan(agent, *cases, variants=variants, trials=2, fail_under=0.5, tools=[WEATHER]),
    )
    asked.clear()
    told: list[Any] = []

    hooks = RunHooks(on_done=lambda question, outcome: told.append((question, outcome)))
    second = again(store, RescoreOptions(show="all"), hooks)

    assert asked == []
    assert len(told) == 12
    assert all(outcome.failure is None for _, outcome in told)
    assert second.below == first.below == ("assistant [north]: accuracy",)
    for was, now in zip(first.evaluations, second.evaluations, strict=True):
        assert (now.name, now.variant) == (was.name, was.variant)
        assert now.place == file_of_location(was.place)
        assert (now.scorers, now.trials) == (was.scorers, was.trials)
        assert (now.answered, now.reused, now.usage) == (6, 6, Usage())
        assert now.results.summary == was.results.summary
    assert second.evaluations[0].trials[0] == CaseTrials("a", 2, 0)
    kept = store.find(second.id)
    assert (kept.command, kept.parent, kept.status) == ("rescore", first.id, "finished")
    assert kept.arguments == {"run": first.id, "preset": None}
    assert kept.totals["passed"] == store.find(first.id).totals["passed"] == 4


def test_other_settings_take_the_place_of_single_ones(store: Store) -> None:
    first = ran(store, a_plan(lambda _: EXTRA, pass_mark=0.75))

    second = again(store, FLEXIBLE)
    preset = again(store, RescoreOptions(preset="flexible"))

    assert [one.evaluations[0].passed for one in (first, second, preset)] == [0, 1, 1]
    assert second.evaluations[0].results.settings.pass_mark == 0.75
    assert preset.evaluations[0].results.settings.pass_mark == 0.75
    assert store.find(second.id).arguments["settings"] == {"mode": "flexible"}


def test_functions_are_not_kept_and_it_is_said(store: Store) -> None:
    def polite() -> float:
        return 1.0

    def accuracy() -> float:
        return 0.25

    def alike(one: str, other: str) -> float:
        return float(one == other)

    ran(
        store,
        a_plan(lambda _: RIGHT, scorers=[polite, accuracy, "recall"], similarity=alike),
    )
    notes: list[str] = []

    second = again(store, hooks=RunHooks(on_note=notes.append))

    assert [one.name for one in second.evaluations[0].scorers] == ["recall"]
    assert list(second.warnings) == notes
    missing = "is missing, and is left out: "
    assert notes[0].startswith(f"assistant: the scorer polite {missing}")
    assert notes[1].startswith(f"assistant: the scorer accuracy() {missing}")
    assert notes[2].startswith("assistant: similarity: ")
    assert notes[2].endswith("alike is not saved, and is not used")
    named = again(store, RescoreOptions(scorers=["f1"], settings={"similarity": alike}))
    assert named.warnings == ()


# --- answers that there are not -----------------------------------------------------------------


def test_failures_are_told_again_and_unreadable_answers_are_read_again(store: Store) -> None:
    def agent(case: Any) -> Any:
        if case.id == "raising":
            raise ValueError("not today")
        return {"what": "is this"} if case.id == "odd" else RIGHT

    first = ran(store, a_plan(agent, *map(a_case, ["raising", "odd", "fine"])))

    second = again(store)

    assert [(one.case, one.kind) for one in second.evaluations[0].failures] == [
        ("raising", "raised"),
        ("odd", "unreadable"),
    ]
    problems = [one.problem for one in second.evaluations[0].failures]
    assert problems == [one.problem for one in first.evaluations[0].failures]
    assert second.evaluations[0].passed == 1
    kept = {one.case: one for one in store.results(second.id)}
    assert kept["odd"].answer == {"what": "is this"}
    assert kept["raising"].failure == ("raised", "the task raised ValueError: not today")


def test_an_expectation_that_only_python_can_say_is_refused_and_not_guessed(store: Store) -> None:
    wanted = expect.call("search", {"$where": 1, "limit": expect.gt(3)})
    cases = [a_case("python", expected=[wanted]), a_case("plain")]
    answers = {"python": [("search", {"$where": 1, "limit": 4})], "plain": RIGHT}
    first = ran(store, a_plan(lambda case: answers[case.id], *cases))

    second = again(store)

    assert first.evaluations[0].passed == 2
    (failed,) = second.evaluations[0].failures
    assert (failed.case, failed.kind) == ("python", "unscored")
    assert failed.problem.startswith("the expected calls can be written only in Python: ")
    assert second.evaluations[0].passed == 1


# --- judges ---------------------------------------------------------------------------------------

JUDGED = a_case(expected=[expect.call("get_weather", city=expect.judge("Is it a city?"))])


def verdict(answer: bool = True) -> Reply:
    return Reply(text=msgspec.json.encode({"verdict": answer, "reason": "So it is"}).decode())


def forget(store: Store) -> None:
    with store.writing() as connection:
        connection.execute("DELETE FROM judgements")


def keys(server: OpenAIServer) -> list[str]:
    return [request.headers["authorization"] for request in server.requests]


def test_the_judge_of_the_run_is_known_and_remembers(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUDGES_KEY", "key-of-the-judge")
    with openai_server(lambda *_: verdict()) as server:
        monkeypatch.setenv("CALLSCORE_ALLOW_SERVERS", f"{server.base_url}=JUDGES_KEY")
        judged = models.judge("small", base_url=server.base_url, key_variable="JUDGES_KEY")
        first = ran(store, a_plan(lambda _: RIGHT, JUDGED, judge=judged))
        second = again(store)
        preset = again(store, RescoreOptions(preset="flexible"))
        forget(store)
        third = again(store)

    assert [one.evaluations[0].passed for one in (first, second, preset, third)] == [1, 1, 1, 1]
    assert first.judges == third.judges == (JudgeCounts("small", 1, 1),)
    assert second.judges == preset.judges == (JudgeCounts("small", 1, 0),)
    assert keys(server) == ["Bearer key-of-the-judge"] * 2
    assert b"key-of-the-judge" not in msgspec.json.encode(store.evaluations(third.id))


def test_a_judge_of_the_history_needs_consent_before_it_is_sent_a_key(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUDGES_KEY", "key-of-the-judge")
    with openai_server(lambda *_: verdict()) as server:
        judged = models.judge("small", base_url=server.base_url, key_variable="JUDGES_KEY")
        ran(store, a_plan(lambda _: RIGHT, JUDGED, judge=judged))
        server.requests.clear()
        forget(store)
        with pytest.raises(MissingConsent) as caught:
            again(store)
        asked_before = len(server.requests)
        allowed = (parse_server(caught.value.pairs[0]),)
        again(store, RescoreOptions(allow_servers=allowed))

    assert caught.value.pairs == (f"{server.base_url}=JUDGES_KEY",)
    assert (asked_before, len(server.requests)) == (0, 1)


def test_judges_with_keys_of_their_own_are_not_mixed_up(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ONE_KEY", "first")
    monkeypatch.setenv("OTHER_KEY", "second")
    with openai_server(lambda *_: verdict()) as server:
        allowed = f"{server.base_url}=ONE_KEY {server.base_url}=OTHER_KEY"
        monkeypatch.setenv("CALLSCORE_ALLOW_SERVERS", allowed)
        made = []
        for name, question in (("ONE_KEY", "Is it big?"), ("OTHER_KEY", "Is it old?")):
            judged = models.judge("small", base_url=server.base_url, key_variable=name)
            wanted = [expect.call("get_weather", city=expect.judge(question))]
            made.append(
                an_evaluation(lambda _: RIGHT, a_case(expected=wanted), name=name, judge=judged)
            )
        ran(store, make_plan(made))
        before = sorted(keys(server))
        server.requests.clear()
        forget(store)
        again(store)

    assert sorted(keys(server)) == before == ["Bearer first", "Bearer second"]


def test_another_judge_takes_the_place_of_the_runs(store: Store) -> None:
    with openai_server(lambda *_: verdict()) as yes, openai_server(lambda *_: verdict(False)) as no:
        ran(
            store,
            a_plan(lambda _: RIGHT, JUDGED, judge=models.judge("small", base_url=yes.base_url)),
        )
        other = models.judge("strict", base_url=no.base_url)
        second = again(store, RescoreOptions(settings={"judge": other}))

    assert second.evaluations[0].passed == 0
    assert second.warnings == ()
    assert len(no.requests) == 1
    kept = store.find(second.id).arguments["settings"]["judge"]
    assert kept["model"] == "strict"


def test_judgements_that_cannot_be_saved_are_reported(store: Store) -> None:
    with openai_server(lambda *_: verdict()) as server:
        ran(
            store,
            a_plan(lambda _: RIGHT, JUDGED, judge=models.judge("small", base_url=server.base_url)),
        )
        with store.writing() as connection:
            connection.execute("ALTER TABLE judgements RENAME TO gone")
        other = models.judge("strict", base_url=server.base_url)
        second = again(store, RescoreOptions(settings={"judge": other}))

    assert second.evaluations[0].passed == 1
    assert second.warnings[0].startswith("judgements could not be saved: ")


def test_a_function_as_a_judge_is_not_kept_and_it_is_said(store: Store) -> None:
    def always(question: str, value: Any) -> bool:
        return bool(question and value)

    ran(store, a_plan(lambda _: RIGHT, JUDGED, judge=always))

    second = again(store)

    assert second.warnings[0].endswith("always is not saved, and is not used")
    assert "judge" in second.evaluations[0].failures[0].problem


# --- what goes wrong ------------------------------------------------------------------------------


def test_ctrl_c_stops_it_and_what_was_scored_is_kept(store: Store) -> None:
    ran(store, a_plan(lambda _: RIGHT, *[a_case(f"case-{number}") for number in range(20)]))
    told: list[Any] = []

    def stop(question: Any, _: Result) -> None:
        told.append(question)
        if len(told) == 3:
            os.kill(os.getpid(), signal.SIGINT)

    second = again(store, hooks=RunHooks(on_done=stop))

    assert second.is_interrupted
    assert 3 <= second.evaluations[0].answered < 20
    assert store.find(second.id).status == "interrupted"
    assert len(list(store.results(second.id))) == second.evaluations[0].answered


def test_rescoring_goes_on_with_a_warning_if_the_history_is_damaged(store: Store) -> None:
    @evaluation(cases=[a_case(str(number)) for number in range(20)])
    def assistant(_: Any) -> Any:
        return RIGHT

    ran(store, make_plan([assistant]))

    def break_it(question: Any, _: Result) -> None:
        if question.case.id == "3":
            with store.writing() as connection:
                connection.execute("ALTER TABLE payloads RENAME TO gone")

    # All of them are read before the first is scored.
    second = again(store, hooks=RunHooks(on_done=break_it))

    assert second.evaluations[0].passed == 20
    assert len(second.warnings) == 1
    assert "the file is damaged" in second.warnings[0]
    assert store.find(second.id).status == "interrupted"


def test_a_case_with_a_hidden_value_in_its_calls_is_refused(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_TOKEN", 'a/token-of"mine')
    monkeypatch.setenv("OTHER_TOKEN", "another-token")
    answers = {
        name: {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": text}}]}
        for name, text in {
            "same": r'{"k": "a\/token-of\"mine"}',
            "other": '{"k": "another-token"}',
            "rule": r'{"k": "a\u002ftoken-of\"mine"}',
        }.items()
    }
    answers["none"] = {"role": "assistant", "content": "no calls"}
    cases = [
        a_case("same", expected=[expect.call("f", k='a/token-of"mine')]),
        a_case("other", expected=[expect.call("f", k='a/token-of"mine')]),
        a_case("rule", expected=[expect.call("f", k=expect.regex("^a/"))]),
        a_case("none", input='a/token-of"mine', expected=[]),
    ]
    before = ran(store, a_plan(lambda case: answers[case.id], *cases))

    found = again(store).evaluations[0]

    assert (before.evaluations[0].passed, before.evaluations[0].errors) == (3, 0)
    assert (found.passed, found.answered, found.errors) == (1, 1, 3)
    assert "is hidden in the history" in found.failures[0].problem


@pytest.fixture(scope="module", autouse=True)
def _closed_clients() -> Iterator[None]:
    """The clients of judges live until the process ends, which closes their connections."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()
