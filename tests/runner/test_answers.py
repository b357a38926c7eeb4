"""What a task returns, as plain data."""

from __future__ import annotations

import asyncio
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
from tests.runner.agents import RIGHT, a_case, a_plan, a_question

from callscore import ToolCall, expect
from callscore.errors import InvalidSettings, ModelFailed
from callscore.models.limits import Limits
from callscore.runner.answer_scoring import score_answer
from callscore.runner.answers import (
    TaskExited,
    TaskTimeout,
    UnreadableAnswer,
    collect_stream,
    failure_from_error,
    make_failure,
    plain_document,
    with_plain_expected,
)
from callscore.runner.asking import ask
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
    with pytest.raises(UnreadableAnswer, match=r"^the task returned <object .*>, which is no data"):
        plain_document({"calls": [object()]})


def test_what_breaks_when_it_is_read_is_told() -> None:
    class Broken:
        def model_dump(self, **_: Any) -> Any:
            raise ValueError("no")

    with pytest.raises(
        UnreadableAnswer, match=r"what cannot be read: a .*Broken cannot be read: no"
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

    assert found.problem == "*** or ***"
    assert found.details == "abc ***"


def test_an_error_that_cannot_even_be_printed_is_told() -> None:
    class Broken(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    problem = failure_from_error(question(), Broken()).problem

    assert problem == "the task raised Broken: (it cannot even be printed)"


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

    assert make_failure(question(), "raised", "it was verysecretkey").problem == "it was ***"


def test_a_key_does_not_appear_in_the_line_that_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_SECRET", "raise_with_this")

    def raise_with_this() -> None:
        raise ValueError("raise_with_this")

    with pytest.raises(ValueError, match="raise_with_this") as raised:
        raise_with_this()
    found = failure_from_error(question(), raised.value)

    assert found.problem == "the task raised ValueError: ***"
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
