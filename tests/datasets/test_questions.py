"""Plain questions for calls."""

from __future__ import annotations

import asyncio
from random import Random
from typing import Any

import msgspec
import pytest

from callscore import ModelFailed, Tool, ToolCall
from callscore.datasets.questions import (
    WrittenQuestions,
    enum_texts,
    question_for_calls,
    question_forbidding,
    question_in_order,
    question_without_calls,
    unmentioned_values,
    write_questions,
)

WEATHER = Tool("getWeather", "Get the weather of a city. Uses a service.")
SUM = Tool("add_numbers", "Adds two numbers.")
TOOLS = {tool.name: tool for tool in (WEATHER, SUM)}


@pytest.mark.parametrize("seed", range(10))
def test_every_value_is_said(seed: int) -> None:
    arguments = {
        "city": "Paris",
        "days": 3,
        "tags": ["a", "b"],
        "note": "a, b",
        "deep": {"x": None},
    }

    text = question_for_calls([ToolCall("getWeather", arguments)], TOOLS, Random(seed))

    assert "get the weather of a city" in text.lower()
    assert "The city is Paris, the days are 3, the tags are a and b and " in text
    assert text.endswith('the note is "a, b". Deep: {"x":null}.')


def test_a_call_without_arguments_is_one_sentence() -> None:
    text = question_for_calls([ToolCall("getWeather", {})], TOOLS, Random(0))

    assert text in (
        "Could you get the weather of a city?",
        "Can you get the weather of a city, please?",
    )


def test_several_calls_are_asked_for_together() -> None:
    calls = [ToolCall("getWeather", {"city": "Paris"}), ToolCall("add_numbers", {"a": 1})]

    text = question_for_calls(calls, TOOLS, Random(0))

    assert " Also, " in text
    assert "Paris" in text
    assert text.endswith(" The a is 1.")


def test_an_order_is_said() -> None:
    calls = [ToolCall("getWeather", {"city": "Paris"}), ToolCall("add_numbers", {"a": 1})]

    text = question_in_order(calls, TOOLS, Random(0))

    assert text.startswith("First, ")
    assert text.index("Paris") < text.index(" Then ") < text.index("The a is 1")


def test_what_must_not_be_done_is_said() -> None:
    assert question_forbidding("Hi!", SUM) == "Hi! Do not add two numbers."


def test_where_nothing_is_to_be_called_a_tool_may_still_be_talked_about() -> None:
    texts = {question_without_calls([WEATHER], Random(seed)) for seed in range(100)}

    assert any("get the weather of a city" in text for text in texts)
    assert any("get the weather of a city" not in text for text in texts)
    assert question_without_calls([], Random(0))


# Questions by a model: what it writes is checked, and asked for again where it will not do.

FLIGHT_TOOLS = {
    "weather": Tool(
        "weather",
        "Get the weather.",
        {"type": "object", "properties": {"city": {"type": "string"}}},
    )
}


def _case(name: str, city: str) -> dict[str, Any]:
    call = {"name": "weather", "arguments": {"city": city}}
    return {"id": name, "input": f"plain {city}", "expected": [call], "tags": ["single"]}


RECORDS = [_case("a", "Paris"), _case("b", "Oslo")]
GOOD = {"a": "Is it raining in Paris?", "b": "How warm is it in Oslo?"}


def _response(text: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"role": "assistant", "content": text}}]}


def _answer(questions: dict[str, str]) -> str:
    items = [{"id": name, "input": text} for name, text in questions.items()]
    return msgspec.json.encode({"questions": items}).decode()


class _Model:
    """Answers with one thing after the other, and remembers what it was asked."""

    def __init__(self, *answers: Any) -> None:
        self.requests: list[dict[str, Any]] = []
        self._answers = list(answers)

    async def __call__(self, text: str) -> Any:
        self.requests.append(msgspec.json.decode(text))
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, dict) else _response(answer)


def _ask(model: _Model, records: list[dict[str, Any]] = RECORDS) -> WrittenQuestions:
    return asyncio.run(write_questions(records, FLIGHT_TOOLS, model))


def _failed() -> ModelFailed:
    return ModelFailed("m", "the server says no.")


def test_the_questions_of_a_model_take_the_place_of_plain_ones() -> None:
    model = _Model(_answer(GOOD))

    asked = _ask(model)

    assert [record["input"] for record in asked.records] == list(GOOD.values())
    assert [record["expected"] for record in asked.records] == [r["expected"] for r in RECORDS]
    assert asked.problems == {}
    assert len(model.requests) == 1


def test_a_model_is_told_the_tools_and_the_calls_and_not_the_plain_question() -> None:
    model = _Model(_answer(GOOD))

    _ask(model)

    (request,) = model.requests
    assert request["tools"][0]["name"] == "weather"
    assert request["cases"][0] == {"id": "a", "expected": RECORDS[0]["expected"]}


def test_a_fenced_answer_is_read() -> None:
    assert _ask(_Model(f"```json\n{_answer(GOOD)}\n```")).problems == {}


def test_a_bare_list_of_questions_is_read() -> None:
    items = [{"id": name, "input": text} for name, text in GOOD.items()]

    assert _ask(_Model(msgspec.json.encode(items).decode())).problems == {}


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        ("Is it raining?", "does not contain 'Paris'"),
        ("", "no message for it"),
        ("Paris " * 1_000, "longer than 2000 characters"),
        ("Paris\x1b[31m", "unprintable"),
    ],
)
def test_what_will_not_do_is_asked_for_again_with_the_reason(bad: str, problem: str) -> None:
    model = _Model(_answer({**GOOD, "a": bad}), _answer(GOOD))

    asked = _ask(model)

    assert asked.problems == {}
    (repeated,) = model.requests[1]["cases"]
    assert repeated["id"] == "a"
    assert problem in repeated["problem"]


def test_what_never_will_do_keeps_its_plain_question_and_is_named() -> None:
    model = _Model(_answer({**GOOD, "a": "Is it raining?"}))

    asked = _ask(model)

    assert [record["input"] for record in asked.records] == ["plain Paris", GOOD["b"]]
    assert asked.problems == {"a": "the message does not contain 'Paris'"}
    assert len(model.requests) == 3


def test_two_cases_do_not_share_a_question() -> None:
    records = [_case("a", "Paris"), _case("b", "Paris")]

    asked = _ask(_Model(_answer({"a": "In Paris?", "b": "in paris?"})), records)

    assert asked.problems == {"b": "another case has the same message"}


@pytest.mark.parametrize(
    "answer",
    [
        "no JSON",
        '{"questions": 5}',
        "[" * 100_000,
        {"choices": []},
        _response(None),
    ],
    ids=["text", "other", "deep", "empty", "null"],
)
def test_nonsense_is_asked_for_again_and_then_told(answer: Any) -> None:
    model = _Model(answer)

    asked = _ask(model)

    assert set(asked.problems) == {"a", "b"}
    assert len(model.requests) == 3


def test_many_cases_are_asked_about_in_batches() -> None:
    records = [_case(f"c{number}", f"City{number}x") for number in range(20)]
    model = _Model(_answer({r["id"]: f"Weather in {r['input'].split()[1]}" for r in records}))

    asked = _ask(model, records)

    assert asked.problems == {}
    assert [len(request["cases"]) for request in model.requests] == [8, 8, 4]


def test_a_batch_that_gets_no_answer_is_asked_again() -> None:
    records = [_case(f"c{number}", f"City{number}x") for number in range(10)]
    good = _answer({r["id"]: f"Weather in {r['input'].split()[1]}" for r in records})

    asked = _ask(_Model(_failed(), good), records)

    assert asked.problems == {}


def test_a_model_that_gives_out_later_loses_nothing() -> None:
    asked = _ask(_Model(_answer({**GOOD, "a": "?"}), _failed()))

    assert asked.records[1]["input"] == GOOD["b"]
    assert "says no" in asked.problems["a"]


def test_a_model_that_gives_no_answer_at_all_is_an_error() -> None:
    with pytest.raises(ModelFailed, match="says no"):
        _ask(_Model(_failed()))


def test_an_error_of_ours_is_not_swallowed() -> None:
    records = [_case(f"c{number}", "Paris") for number in range(10)]

    with pytest.raises(ZeroDivisionError):
        _ask(_Model(ZeroDivisionError(), _answer({})), records)


# Whether a question says what the calls need to know.


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("The weather in PARIS, please", "Paris"),
        ("a round trip", "round_trip"),
        ("for 3 people", 3),
        ("pay 1,250 euros", 1250),
        ("pay 2.5 euros", 2.50),
        ("pay 5 euros", 5.0),
        ("on 14 March 2025", "2025-03-14"),
        ("on March 4th, 2025", "2025-03-04"),
        ("on 2025-03-14", "2025-03-14"),
        ("on Mar 14, 2025 at noon", "2025-03-14T12:00:00Z"),
        ("whatever", True),
        ("whatever", None),
        ("Paris and Rome", ["Paris", "Rome"]),
        ("Ann Lee", {"first": "Ann", "last": "Lee"}),
    ],
)
def test_a_value_is_said_in_the_words_of_people(text: str, value: Any) -> None:
    assert unmentioned_values(text, [{"a": value}], set()) == []


@pytest.mark.parametrize(
    ("text", "value", "missing"),
    [
        ("The weather there", "Paris", "Paris"),
        ("for some people", 3, "3"),
        ("on 15 March 2025", "2025-03-14", "2025-03-14"),
        ("on 14 March", "2025-03-14", "2025-03-14"),
        ("on 14 April 2025", "2025-03-14", "2025-03-14"),
        ("on 30 February 2025", "2025-02-30", "2025-02-30"),
        ("Paris and Oslo", ["Paris", "Rome"], "Rome"),
        ("hm", "x" * 100, "x" * 59 + "…"),
    ],
)
def test_a_value_that_is_not_said_is_named(text: str, value: Any, missing: str) -> None:
    assert unmentioned_values(text, [{"a": value}], set()) == [missing]


def test_what_is_one_of_a_few_need_not_be_said() -> None:
    schema = {"properties": {"cabin": {"enum": ["basic_economy", 3]}, "kind": {"const": "x"}}}

    known = enum_texts(schema)

    assert known == {"basic_economy", "x"}
    assert unmentioned_values("the cheapest seat", [{"cabin": "basic_economy"}], known) == []
