"""What a task returns, as plain data."""

from __future__ import annotations

import asyncio
import sys
import threading
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import Enum
from math import inf, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest
from openai.types.chat import ChatCompletion
from tests.runner.agents import RIGHT, WEATHER, a_case, a_plan, a_question

from callscore import ToolCall, expect
from callscore.core.results import Answer, Failure, MetricValue, Result
from callscore.errors import InvalidSettings, ModelFailed
from callscore.formats.cases import case_record, read_case
from callscore.hiding.markers import MARKER
from callscore.models.limits import Limits, run_limits
from callscore.runner import answers as scoring
from callscore.runner.answers import (
    TaskExited,
    TaskTimeout,
    UnreadableAnswer,
    collect_stream,
    failure_from_error,
    make_failure,
    plain_document,
    score_answer,
    with_plain_expected,
)
from callscore.runner.asking import ask
from callscore.runner.event_loop import DaemonExecutor
from callscore.runner.rescoring import rescore
from callscore.runner.running import run

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from callscore.history.store import Store

COMPLETION = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1700000000,
    "model": "small",
    "choices": [
        {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": "Hi"},
        }
    ],
}


@dataclass
class Reply:
    name: str
    arguments: dict[str, Any]


@pytest.mark.parametrize(
    ("returned", "document"),
    [
        (RIGHT, RIGHT),
        ("Hello!", "Hello!"),
        (b"Hello!", "Hello!"),
        ([], []),
        (ToolCall("f", {"a": 1}), [{"name": "f", "arguments": {"a": 1}}]),
        ((ToolCall("f", {}),), [{"name": "f", "arguments": {}}]),
        (iter(["f"]), ["f"]),
        ([Reply("f", {"a": 1})], [{"name": "f", "arguments": {"a": 1}}]),
        ({"a": 2**70}, {"a": 2**70}),
    ],
)
def test_it_becomes_plain_data(returned: Any, document: Any) -> None:
    assert plain_document(returned) == document


def test_an_object_of_an_sdk_becomes_what_the_server_wrote() -> None:
    document = plain_document(ChatCompletion.model_validate(COMPLETION))

    assert document["choices"][0]["message"]["content"] == "Hi"
    assert document["object"] == "chat.completion"


def test_nothing_is_no_answer() -> None:
    with pytest.raises(UnreadableAnswer, match=r"returned nothing. Return the response"):
        plain_document(None)


def test_what_is_no_data_is_named() -> None:
    with pytest.raises(
        UnreadableAnswer, match=r"^the task returned <object .*>, which is not data"
    ):
        plain_document({"calls": [object()]})


def test_what_breaks_when_it_is_read_is_told() -> None:
    class Broken:
        def model_dump(self, **_: Any) -> Any:
            raise ValueError("no")

    with pytest.raises(
        UnreadableAnswer, match=r"answer of the task cannot be read: a .*Broken cannot be read: no"
    ):
        plain_document(Broken())


def test_what_holds_itself_is_told() -> None:
    endless: list[Any] = []
    endless.append(endless)

    with pytest.raises(UnreadableAnswer, match="cannot be read"):
        plain_document(endless)


def test_an_asynchronous_stream_is_gathered() -> None:
    async def streamed() -> AsyncIterator[int]:
        yield 1
        yield 2

    assert asyncio.run(collect_stream(streamed())) == [1, 2]
    assert asyncio.run(collect_stream([3])) == [3]


def test_what_json_does_not_know_and_is_data_becomes_text() -> None:
    document = plain_document({"text": "\ud800", 1: "a", "when": date(2026, 11, 15)})

    assert document["when"] == "2026-11-15"
    assert document["text"] == "\\ud800"


def test_bytes_that_are_no_text_are_no_error() -> None:
    assert plain_document(b"\xff!") == "\\xff!"


@pytest.mark.parametrize("returned", [lambda: 1, iter([object()]), [[object()]], type])
def test_whatever_cannot_become_data_is_refused(returned: Any) -> None:
    with pytest.raises(UnreadableAnswer, match=r"^the task returned "):
        plain_document(returned)


def test_what_prints_badly_does_no_harm() -> None:
    class Hostile:
        __slots__ = ()

        def __repr__(self) -> str:
            return "\x1b[2J" + "x" * 10_000

    with pytest.raises(UnreadableAnswer) as raised:
        plain_document([Hostile()])

    assert "\x1b" not in str(raised.value)
    assert len(str(raised.value)) < 400


def test_an_object_that_streams_and_is_a_document_is_taken_as_a_document() -> None:
    class Both:
        def model_dump(self, **_: Any) -> Any:
            return {"a": 1}

        async def __aiter__(self) -> AsyncIterator[int]:
            yield 1

    both = Both()

    assert asyncio.run(collect_stream(both)) is both


# What is expected becomes data as answers do: whatever a value is, it equals itself.


class Colour(Enum):
    RED = "red"


VALUES = [
    date(2026, 1, 2),
    Decimal("1.50"),
    UUID(int=7),
    {3},
    b"bytes",
    Colour.RED,
    {1: 2},
    nan,
    inf,
    "half \ud800",
    Path("a/b"),
    (1, [date(2026, 1, 2)]),
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_every_value_equals_itself_now_and_when_it_is_scored_again(
    store: Store, value: Any
) -> None:
    calls = [{"name": "book", "arguments": {"day": value, "more": {"days": [value]}}}]
    plan = a_plan(lambda _: calls, a_case(expected=calls))

    found = run(plan, store=store)
    again = rescore(store, store.find("latest"))

    assert [each.evaluations[0].passed for each in (found, again)] == [1, 1]


def test_values_within_rules_become_data_too() -> None:
    day = date(2026, 1, 2)
    case = a_case(expected=[expect.call("book", day=expect.one_of(day, "now"), seats=2)])
    question = a_question(lambda _: [{"name": "book", "arguments": {"day": day, "seats": 2}}], case)

    async def outcome() -> Any:
        answer: Any = await ask(question, Limits())
        return await score_answer(question, answer)

    found = asyncio.run(outcome())
    assert found.passed


def test_what_expects_nothing_or_only_data_stays_as_it_is() -> None:
    assert with_plain_expected(a_case(expected=None)).expected is None

    case = a_question(list).case
    assert with_plain_expected(case) == case


def test_what_is_no_data_stays_what_it_is() -> None:
    case = a_question(list, a_case(expected=[{"name": "f", "arguments": {"x": print}}])).case

    (call,) = with_plain_expected(case).expected or ()
    assert call.arguments == {"x": print}


# Why there is no answer, in a sentence.


def question(**options: Any) -> Any:
    return a_question(list, **options)


@pytest.mark.parametrize(
    ("error", "kind", "problem"),
    [
        (TaskTimeout("too long"), "timeout", "too long"),
        (TaskExited("exited"), "exited", "exited"),
        (UnreadableAnswer("nothing"), "unreadable", "nothing"),
        (ModelFailed("m", "it says no"), "raised", "m: it says no"),
        (ModelFailed("m", "silence", is_timeout=True), "timeout", "m: silence"),
        (InvalidSettings("wrong"), "refused", "wrong"),
        (ValueError("wrong"), "raised", "the task raised ValueError: wrong"),
        (ValueError(), "raised", "the task raised ValueError"),
    ],
)
def test_an_error_has_a_kind_and_a_sentence(error: Exception, kind: str, problem: str) -> None:
    found = failure_from_error(question(), error)

    assert (found.case, found.kind, found.problem) == ("weather", kind, problem)
    assert found.attempts == 1


def test_the_sentence_is_one_line_of_bounded_length() -> None:
    found = make_failure(question(), "raised", "a\nb\x1b[31m" + "c" * 10_000)

    assert "\n" not in found.problem
    assert "\x1b" not in found.problem
    assert len(found.problem) <= 500


def test_keys_do_not_appear(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "verysecretkey")
    monkeypatch.setenv("SOME_TOKEN", "abc")  # too short to be told from words

    found = make_failure(
        question(), "raised", "verysecretkey or sk-abcdef123456", details="abc verysecretkey"
    )

    assert MARKER.sub("(hidden)", found.problem) == "(hidden) or ***"
    assert MARKER.sub("(hidden)", found.details) == "abc (hidden)"


def test_an_error_that_cannot_even_be_printed_is_told() -> None:
    class Broken(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    problem = failure_from_error(question(), Broken()).problem

    assert problem == "the task raised Broken: (its message cannot be printed)"


def test_where_it_happened_is_told_from_the_task_on() -> None:
    def task() -> None:
        raise ValueError("here")

    with pytest.raises(ValueError, match="here") as raised:
        task()
    details = failure_from_error(question(), raised.value).details

    assert details.splitlines()[-1].strip() == 'raise ValueError("here")'
    assert failure_from_error(question(), TaskExited("no cause")).details == ""


def test_a_key_is_hidden_as_it_is_sent_without_the_space_around_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SOME_API_KEY", " verysecretkey\n")

    problem = make_failure(question(), "raised", "it was verysecretkey").problem

    assert MARKER.sub("(hidden)", problem) == "it was (hidden)"


def test_a_key_does_not_appear_in_the_line_that_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_SECRET", "raise_with_this")

    def raise_with_this() -> None:
        raise ValueError("raise_with_this")

    with pytest.raises(ValueError, match="raise_with_this") as raised:
        raise_with_this()
    found = failure_from_error(question(), raised.value)

    assert MARKER.sub("(hidden)", found.problem) == "the task raised ValueError: (hidden)"
    assert found.details
    assert "raise_with_this" not in found.details


def test_what_is_no_secret_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_FOLDER", "somewhere")

    assert make_failure(question(), "raised", "in somewhere").problem == "in somewhere"


def test_only_the_last_calls_are_told() -> None:
    def even(left: int) -> None:
        odd(left - 1)

    def odd(left: int) -> None:
        if left < 0:
            raise ValueError("at the end")
        even(left - 1)

    with pytest.raises(ValueError, match="at the end") as raised:
        even(50)

    assert failure_from_error(question(), raised.value).details.count("File ") == 6


def test_how_often_it_was_tried_is_told() -> None:
    found = failure_from_error(question(trials=3), ModelFailed("m", "no", attempts=3))

    assert (found.attempts, found.trial) == (3, 1)


# One answer: the calls in it, and what every scorer says.

ANSWER_SCORING_COMPLETION = {
    "object": "chat.completion",
    "choices": [
        {
            "message": {
                "role": "assistant",
                "tool_calls": [
                    {
                        "type": "function",
                        "function": {"name": "get_weather", "arguments": '{"city": "Paris"}'},
                    }
                ],
            }
        }
    ],
}


def score(document: Any, *cases: Any, seconds: float | None = None, **options: Any) -> Any:
    question = a_question(list, *cases, **options)
    return asyncio.run(score_answer(question, Answer(document=document), seconds=seconds))


def failure_of(result: Result) -> Failure:
    assert result.failure is not None
    return result.failure


@pytest.mark.parametrize(
    "document", [RIGHT, ANSWER_SCORING_COMPLETION, [("get_weather", {"city": "Paris"})]]
)
def test_the_calls_are_read_in_any_dialect(document: Any) -> None:
    for _ in range(2):  # the second one is recognized at once
        found = score(document)

        assert found.passed
        assert [call.name for call in found.case.actual or ()] == ["get_weather"]
        assert found.values == (MetricValue("accuracy", 1.0),)


@pytest.mark.parametrize("words", ["Hello!", "Hi", "", "Use {braces} as you like", "42"])
def test_a_text_without_calls_is_words(words: str) -> None:
    assert score(words, a_case(expected=[])).passed is True


@pytest.mark.parametrize("document", [{"a": 1}, 42, [1], {}])
def test_an_answer_that_no_format_reads_is_no_score(document: Any) -> None:
    found = failure_of(score(document))

    assert found.kind == "unreadable"
    assert found.problem.startswith("the calls cannot be read: answer")


def test_a_case_that_expects_nothing_in_particular_has_no_score() -> None:
    def polite(output: Any) -> bool:
        return "please" in output

    found = score("Yes, please", a_case(expected=None), scorers=["accuracy", polite])

    assert found.score is None
    assert found.passed is True
    assert [value.value for value in found.values] == [None, 1.0]


def test_no_scorer_with_a_number_decides_nothing() -> None:
    assert score(RIGHT, a_case(expected=None)).passed is None


def test_a_forbidden_call_does_not_pass() -> None:
    case = a_case(expected=[expect.forbid("get_*")])

    assert score(RIGHT, case, scorers=["recall"]).passed is False


def test_the_tools_are_those_of_the_evaluation_or_of_the_case() -> None:
    wrong = [{"name": "get_weather", "arguments": {"city": 1}}]

    of_all = score(wrong, tools=[WEATHER], scorers=["parameters_valid"])
    of_case = score(wrong, a_case(tools=[WEATHER]), scorers=["parameters_valid"])
    of_none = score(wrong, scorers=["parameters_valid"])

    assert [found.values[0].value for found in (of_all, of_case, of_none)] == [0.0, 0.0, None]


def test_tools_of_a_case_that_are_none_are_no_score() -> None:
    found = failure_of(score(RIGHT, a_case(tools=[{"description": "no name"}])))

    assert (
        "the calls cannot be read: case weather: 'tools' has no tool definitions" in found.problem
    )


def test_the_best_of_several_answers_counts() -> None:
    first, second = (
        ANSWER_SCORING_COMPLETION["choices"][0],
        {"message": {"role": "assistant", "content": "Hi"}},
    )
    document = {**ANSWER_SCORING_COMPLETION, "choices": [second, first]}

    assert score(document).passed is False
    assert score(document, top_k=2).passed is True


def test_a_scorer_is_given_what_it_asks_for() -> None:
    def everything(**given: Any) -> bool:
        return sorted(given) == [
            *("calls", "case", "expected", "input", "output", "score", "tools")
        ]

    assert score(RIGHT, scorers=[everything]).passed is True


def test_a_scorer_that_hangs_is_given_up() -> None:
    async def hung(case: Any) -> float:
        await asyncio.sleep(60)
        return float(case.id)

    found = score(RIGHT, scorers=[hung], seconds=0.05)

    assert found.values[0].reason == "it took more than 0.05 s."
    assert found.passed is False


def test_a_judge_does_not_keep_the_loop_waiting() -> None:
    is_asked, has_had_its_turn = threading.Event(), threading.Event()

    def judge(question: str, _: Any) -> bool:
        is_asked.set()
        return has_had_its_turn.wait(300) and question == "is it Paris?"

    async def both() -> Any:
        async def turn() -> None:
            await asyncio.to_thread(is_asked.wait)
            has_had_its_turn.set()

        beside = asyncio.create_task(turn())
        question = a_question(
            list,
            a_case(expected=[("get_weather", {"city": expect.judge("is it Paris?")})]),
            judge=judge,
        )
        found = await score_answer(question, Answer(document=RIGHT))
        await beside
        return found

    assert asyncio.run(both()).passed


def test_a_judge_that_fails_is_an_error_and_no_score() -> None:
    def judge(_: str, value: Any) -> bool:
        raise ValueError(f"I cannot say anything about {value}")

    case = a_case(expected=[("get_weather", {"city": expect.judge("is it Paris?")})])
    found = failure_of(score(RIGHT, case, judge=judge))

    assert (found.kind, found.case) == ("unscored", "weather")
    assert "the answer cannot be scored: judge: the function raised ValueError" in found.problem


def test_a_case_that_needs_a_judge_says_so() -> None:
    case = a_case(expected=[("get_weather", {"city": expect.judge("is it Paris?")})])

    found = failure_of(score(RIGHT, case))

    assert "'$judge' requires a judge" in found.problem


# --- people's scorers -------------------------------------------------------------------------


class Odd(BaseException):
    """What no `except Exception` catches."""


async def _raising(score: Any) -> float:
    raise ValueError(f"bad key sk-abcdefghijk12 in {type(score).__name__}")


def _ending(score: Any) -> float:
    sys.exit(score.correct)


async def _odd(score: Any) -> float:
    raise Odd(score)


async def _cancelled(score: Any) -> float:
    raise asyncio.CancelledError(score)


async def _cancelling_itself(score: Any) -> Any:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    await asyncio.sleep(0)
    return score.f1


@pytest.mark.parametrize(
    ("scorer", "reason"),
    [
        (_raising, "it raises ValueError in "),
        (_odd, "it raises Odd"),
        (_cancelled, "it was cancelled by its own code."),
        (_cancelling_itself, "it was cancelled by its own code."),
    ],
)
@pytest.mark.parametrize("seconds", [None, 60.0])
def test_whatever_a_scorer_does_the_others_have_their_say(
    scorer: Any, reason: str, seconds: float | None
) -> None:
    found = score(RIGHT, scorers=[scorer, "accuracy"], seconds=seconds)

    broken, right = found.values
    assert broken.is_broken
    assert broken.reason.startswith(reason)
    assert right.reason is None
    assert found.passed is False


def test_a_scorer_that_wants_to_end_the_process_does_not() -> None:
    found = score(RIGHT, scorers=[_ending])

    assert found.values[0].value is None
    assert found.values[0].reason.startswith("it raises SystemExit")


def test_a_scorer_in_a_thread_that_hangs_is_given_up() -> None:
    never = threading.Event()

    def hung(score: Any) -> bool:
        return never.wait() and score is None

    async def asked() -> Any:
        asyncio.get_running_loop().set_default_executor(DaemonExecutor())
        question = a_question(list, scorers=[hung])
        return await score_answer(question, Answer(document=RIGHT), seconds=0.05)

    found = asyncio.run(asked())
    never.set()

    assert found.values[0].reason == "it took more than 0.05 s."


def test_a_scorer_that_does_not_listen_is_given_up_too() -> None:
    let_go = asyncio.Event()
    ends = asyncio.Event()

    async def deaf(score: Any) -> float:
        while not let_go.is_set():
            try:
                await let_go.wait()
            except asyncio.CancelledError:
                continue
        ends.set()
        return float(score.f1)

    async def asked() -> Any:
        question = a_question(list, scorers=[deaf])
        found = await score_answer(question, Answer(document=RIGHT), seconds=0.05)
        let_go.set()
        await ends.wait()
        return found

    assert asyncio.run(asked()).values[0].reason == "it took more than 0.05 s."


def test_whoever_stops_waiting_for_a_scorer_is_not_kept() -> None:
    began = asyncio.Event()

    async def hung(score: Any) -> float:
        began.set()
        await asyncio.sleep(60)
        return float(score.f1)

    async def stop() -> None:
        question = a_question(list, scorers=[hung])
        waiting = asyncio.create_task(score_answer(question, Answer(document=RIGHT)))
        await began.wait()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(stop())


def test_a_scorer_may_say_why() -> None:
    def kind(output: Any) -> tuple[float, str]:
        return 0.5, f"sk-abcdefghijk12 {len(output)}"

    assert score(RIGHT, scorers=[kind]).values == (MetricValue("kind", 0.5, "*** 1"),)


def test_a_judge_is_asked_in_a_thread_that_knows_the_limits_of_the_run() -> None:
    heard: list[Any] = []

    def judge(*_: Any) -> bool:
        thread = threading.current_thread()
        heard.append((thread is threading.main_thread(), thread.daemon, run_limits.get()))
        return True

    async def asked() -> Any:
        run_limits.set(Limits(retries=7))
        case = a_case(expected=[("get_weather", {"city": expect.judge("is it Paris?")})])
        question = a_question(list, case, judge=judge)
        return await score_answer(question, Answer(document=RIGHT))

    assert asyncio.run(asked()).passed
    assert heard == [(False, True, Limits(retries=7))]


def test_only_so_many_shapes_of_answers_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("callscore.runner.answers._dialect_by_shape", {})
    monkeypatch.setattr("callscore.runner.answers._MAX_SHAPES", 1)

    for document in (
        ANSWER_SCORING_COMPLETION,
        {**ANSWER_SCORING_COMPLETION, "id": "1"},
        {**ANSWER_SCORING_COMPLETION, "id": "2"},
    ):
        assert score(document).passed
    assert len(scoring._dialect_by_shape) == 1


def test_what_only_looks_like_the_answers_before_is_read_as_what_it_is() -> None:
    assert score(ANSWER_SCORING_COMPLETION).passed
    found = failure_of(score({"object": "chat.completion", "choices": 3}))

    assert found.kind == "unreadable"


@pytest.mark.parametrize(
    "returned",
    [
        {"calls": [{"name": "f", "arguments": {}}], "actual_state": {"x": 1}},
        {**COMPLETION, "actual_state": {"x": 1}},
        {"turns": [[], ["f"]], "actual_state": {"x": 1}},
        {"actual_state": {"x": 1}},
    ],
)
def test_an_answer_may_say_what_state_it_left(returned: dict[str, Any]) -> None:
    case = a_case(expected=[expect.end_state({"x": 1})])
    question = a_question(lambda _: returned, case, scorers=["state"])

    result = asyncio.run(score_answer(question, Answer(document=plain_document(returned))))

    assert (result.status, result.passed, result.failure) == ("scored", True, None)
    assert [value.value for value in result.values] == [1.0]


def test_turns_of_an_answer_are_those_of_its_calls() -> None:
    case = a_case(expected=[expect.turn("f"), expect.turn("g")])
    returned = {"turns": [["f"], {"actual": ["g"]}]}
    question = a_question(lambda _: returned, case, scorers=["turn_min"])

    result = asyncio.run(score_answer(question, Answer(document=returned)))

    assert [call.turn for call in result.case.actual or ()] == [0, 1]
    assert result.passed


def test_a_conversation_that_ends_after_one_message_is_wrong_in_its_second_turn() -> None:
    case = a_case(expected=[expect.turn("f"), expect.turn("g")])
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    returned = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
    ]
    question = a_question(lambda _: returned, case, scorers=["turn_min"])

    result = asyncio.run(score_answer(question, Answer(document=returned)))

    assert result.score is not None
    assert (result.passed, result.score.first_wrong_turn) == (False, 2)


@pytest.mark.parametrize(
    ("expected", "callers", "count"),
    [
        (["f"], None, 1),
        ([expect.call("f"), ToolCall("g", caller="user")], None, 2),
        (["f"], ["agent", "user"], 2),
    ],
)
def test_calls_of_the_user_in_an_answer_count_if_the_case_says_so(
    expected: Any, callers: Any, count: int
) -> None:
    case = read_case(case_record(a_case(expected=expected, callers=callers)), place="p")
    returned = [{"name": "f", "arguments": {}}, {"name": "g", "arguments": {}, "caller": "user"}]
    question = a_question(lambda _: returned, case)

    result = asyncio.run(score_answer(question, Answer(document=returned)))

    assert len(result.case.actual or ()) == count
