"""langchain-core: messages in each of its encodings, chunks, models that run, traces and tools."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.differential.comparison import (
    ARGUMENTS,
    CALLS,
    Said,
    dumps,
    every_way,
    pieces_of,
    read,
    said,
    tools,
)

import callscore

pytest.importorskip("langchain_core")
agents: Any = pytest.importorskip("langchain_core.agents")
chat_models: Any = pytest.importorskip("langchain_core.language_models")
function_calling: Any = pytest.importorskip("langchain_core.utils.function_calling")
load: Any = pytest.importorskip("langchain_core.load")
messages: Any = pytest.importorskip("langchain_core.messages")
outputs: Any = pytest.importorskip("langchain_core.outputs")
tooling: Any = pytest.importorskip("langchain_core.tools")
tracing: Any = pytest.importorskip("langchain_core.tracers.context")

SIZES = st.lists(st.integers(0, 9), max_size=6)
BROKEN = st.sampled_from(['{"a": ', "{'a': 1}", '{"a": 1}{"b": 2}', "words"])


def answer_of(calls: Any, *invalid: dict[str, Any]) -> Any:
    listed = [
        {"name": name, "args": arguments, "id": f"call_{i}"}
        for i, (name, arguments) in enumerate(calls)
    ]
    return messages.AIMessage(content="Well.", tool_calls=listed, invalid_tool_calls=list(invalid))


def calls_of(message: Any) -> list[Said]:
    return [said(call["name"], call["args"], call["id"]) for call in message.tool_calls]


def every_encoding(message: Any) -> list[Any]:
    return [
        *every_way(message),
        load.dumpd(message),
        load.dumps(message),
        messages.messages_to_dict([message]),
        messages.message_to_dict(message),
        {"messages": [messages.HumanMessage("Go."), message]},
    ]


@given(CALLS)
def test_a_message_is_read_as_langchain_has_it_in_every_encoding(calls: Any) -> None:
    message = answer_of(calls)

    expected = calls_of(message)

    assert [call[:2] for call in expected] == [(name, repr(arguments)) for name, arguments in calls]
    for document in every_encoding(message):
        assert read(document) == expected
    assert callscore.score(calls, message).is_exact


@given(CALLS)
def test_langchains_own_converter_to_openai_keeps_the_calls(calls: Any) -> None:
    message = answer_of(calls)
    history = [messages.HumanMessage("Go."), message]

    converted = messages.convert_to_openai_messages(history)

    assert read(converted) == read(history) == calls_of(message)


@given(CALLS.filter(bool), st.text(), st.booleans())
def test_results_belong_to_their_calls(calls: Any, text: str, failed: bool) -> None:
    message = answer_of(calls)
    status = "error" if failed else "success"
    answers = [
        # An artifact may be anything, and JSON need not know it.
        messages.ToolMessage(
            f"{i}{text}", tool_call_id=call["id"], status=status, artifact=object()
        )
        for i, call in enumerate(message.tool_calls)
    ]

    found = callscore.read_calls([message, *answers])

    assert [call.result for call in found] == [answer.content for answer in answers]
    assert {call.failed for call in found} == {failed}


@given(CALLS, BROKEN)
def test_calls_that_langchain_could_not_parse_are_faults(calls: Any, broken: str) -> None:
    wrong = {"name": "g", "args": broken, "id": "wrong", "error": "no JSON"}
    message = answer_of(calls, wrong)

    for document in every_encoding(message):
        *valid, last = callscore.read_calls(document)
        assert [(call.name, repr(call.arguments)) for call in valid] == [
            call[:2] for call in calls_of(message)
        ]
        assert (last.name, last.arguments, last.raw, last.id) == ("g", None, broken, "wrong")
        assert last.error


@given(CALLS, BROKEN)
def test_openai_calls_are_read_as_langchain_parses_them(calls: Any, broken: str) -> None:
    texts = [*[(name, dumps(arguments)) for name, arguments in calls], ("broken", broken)]
    raw = [
        {"id": f"call_{i}", "type": "function", "function": {"name": name, "arguments": text}}
        for i, (name, text) in enumerate(texts)
    ]
    message = messages.AIMessage(content="", additional_kwargs={"tool_calls": raw})

    *valid, invalid = read(message)

    assert valid == calls_of(message)
    assert [call["args"] for call in message.invalid_tool_calls] == [broken]
    assert (invalid.name, invalid.arguments) == ("broken", "None")
    assert read({"role": "assistant", "content": "", "tool_calls": raw}) == [*valid, invalid]


def test_a_list_for_arguments_stops_langchain_and_is_a_fault_here() -> None:
    function = {"name": "f", "arguments": "[1]"}
    raw = [{"id": "call_0", "type": "function", "function": function}]

    with pytest.raises(ValueError, match="Input should be a valid dictionary"):
        messages.AIMessage(content="", additional_kwargs={"tool_calls": raw})
    (call,) = callscore.read_calls({"role": "assistant", "content": "", "tool_calls": raw})

    assert (call.arguments, call.error, call.raw) == (None, "not_an_object", "[1]")


def chunks_of(calls: list[tuple[str, str]], sizes: list[int]) -> list[Any]:
    chunks = [messages.AIMessageChunk(content="", id="run")]
    for index, (name, text) in enumerate(calls):
        first, *others = pieces_of(text, sizes)
        pieces = [{"name": name, "args": first, "id": f"call_{index}", "index": index}]
        pieces += [{"name": None, "args": other, "id": None, "index": index} for other in others]
        chunks += [
            messages.AIMessageChunk(content="", id="run", tool_call_chunks=[piece])
            for piece in pieces
        ]
    return chunks


def sum_of(chunks: list[Any]) -> Any:
    total, *others = chunks
    for chunk in others:
        total += chunk
    return total


@given(CALLS, SIZES)
def test_chunks_are_put_together_as_langchain_adds_them(calls: Any, sizes: list[int]) -> None:
    chunks = chunks_of([(name, dumps(arguments)) for name, arguments in calls], sizes)
    total = sum_of(chunks)

    expected = calls_of(total)

    assert len(expected) == len(calls)
    assert read(chunks) == read(total) == read(iter(chunks)) == expected
    assert read([chunk.model_dump() for chunk in chunks]) == expected
    assert read("\n".join([chunk.model_dump_json() for chunk in chunks])) == expected
    assert read(messages.message_chunk_to_message(total)) == expected


@given(ARGUMENTS.filter(bool), st.integers(2, 200), SIZES)
def test_a_call_that_was_cut_is_completed_by_langchain_and_a_fault_here(
    arguments: Any, end: int, sizes: list[int]
) -> None:
    # Where LangChain cuts an escaped surrogate pair it makes a text of half of it.
    whole = dumps(arguments, ensure_ascii=False)
    text = whole[: min(end, len(whole) - 1)]
    chunks = chunks_of([("f", text)], sizes)
    total = sum_of(chunks)

    # LangChain closes what is open, and calls it valid. Nobody has asked for such a call.
    assert len(total.tool_calls) + len(total.invalid_tool_calls) == 1
    for document in (chunks, total, total.model_dump_json()):
        (call,) = callscore.read_calls(document)
        assert (call.name, call.arguments, call.error) == ("f", None, "truncated_json")
        assert call.raw == text


def test_one_chunk_of_a_call_looks_whole_to_langchain() -> None:
    _, chunk, _ = chunks_of([("f", '{"city": "Paris", "unit": "C"}')], [16])

    assert [call["args"] for call in chunk.tool_calls] == [{"city": "Paris"}]
    (call,) = callscore.read_calls(chunk)
    assert (call.arguments, call.error) == (None, "truncated_json")


def model_that_says(chunks: list[Any]) -> Any:
    """A chat model of LangChain that gives this answer, at once or streamed."""

    def generate(*_: Any, **__: Any) -> Any:
        message = messages.message_chunk_to_message(sum_of(chunks))
        return outputs.ChatResult(generations=[outputs.ChatGeneration(message=message)])

    def stream(*_: Any, **__: Any) -> Any:
        for chunk in chunks:
            yield outputs.ChatGenerationChunk(message=chunk)

    base = chat_models.BaseChatModel
    parts = {"_generate": generate, "_stream": stream, "_llm_type": property(lambda _: "told")}
    return type(base)("Told", (base,), {**parts, "__module__": __name__})()


@given(CALLS)
def test_the_generations_of_a_chat_model_are_read(calls: Any) -> None:
    chunks = chunks_of([(name, dumps(arguments)) for name, arguments in calls], [])
    result = model_that_says(chunks).generate([[messages.HumanMessage("Go.")]])
    generation = result.generations[0][0]

    expected = calls_of(generation.message)

    assert len(expected) == len(calls)
    for document in (result, generation, load.dumps(generation)):
        assert read(document) == expected


def test_calls_that_langchain_leaves_out_of_its_own_dump_are_lost() -> None:
    result = model_that_says(chunks_of([("f", "{}")], [])).generate(
        [[messages.HumanMessage("Go.")]]
    )

    # A generation holds a message in general, and the dump has what messages in general have.
    assert "tool_calls" not in result.model_dump()["generations"][0][0]["message"]
    assert read(result.model_dump()) == []
    assert read(result) == [said("f", {}, "call_0")]


@given(CALLS.filter(bool), SIZES)
def test_the_events_of_a_model_are_read_once(calls: Any, sizes: list[int]) -> None:
    chunks = chunks_of([(name, dumps(arguments)) for name, arguments in calls], sizes)
    model = model_that_says(chunks)

    async def events() -> list[Any]:
        return [event async for event in model.astream_events("Go.", version="v2")]

    found = asyncio.run(events())

    expected = calls_of(found[-1]["data"]["output"])
    assert len(expected) == len(calls)
    assert read(found) == expected


def get_weather(city: str, days: list[int] | None = None) -> str:
    """What the weather is."""
    return f"{city}: {days}"


TOOL = tooling.tool(get_weather)


@given(st.text(), st.lists(st.integers()))
def test_a_traced_run_has_what_was_asked_for_and_what_was_run(city: str, days: list[int]) -> None:
    arguments = {"city": city, "days": days}
    model = model_that_says(chunks_of([("get_weather", dumps(arguments))], []))
    with tracing.collect_runs() as collected:
        (model | (lambda answer: TOOL.invoke(answer.tool_calls[0]))).invoke("Go.")
    (run,) = collected.traced_runs

    for document in (run, collected.traced_runs):
        assert read(document) == [said("get_weather", arguments, "call_0")]
        (call,) = callscore.read_calls(document, view="executed")
        assert (call.name, repr(call.arguments)) == ("get_weather", repr(arguments))
        assert call.result == f"{city}: {days}"


def test_tools_are_read_as_langchain_describes_them() -> None:
    function = function_calling.convert_to_openai_tool(TOOL)
    anthropic = function_calling.convert_to_openai_function(get_weather)
    described = function["function"]

    expected = [("get_weather", "What the weather is.", described["parameters"])]

    assert tools([function]) == tools([anthropic]) == expected
    # A live tool has the whole schema of its arguments, with titles.
    for document in (TOOL, [TOOL]):
        ((name, description, parameters),) = tools(document)
        assert (name, description) == expected[0][:2]
        assert parameters == TOOL.args_schema.model_json_schema()


@given(ARGUMENTS)
def test_the_steps_of_an_old_agent_are_read(arguments: Any) -> None:
    action = agents.AgentAction(tool="f", tool_input=arguments, log="I call it.")

    assert read(action) == read([action]) == [said("f", arguments)]
    for document in ({"intermediate_steps": [(action, "done")]}, [(action, "done")]):
        (call,) = callscore.read_calls(document)
        assert (repr(call.arguments), call.result) == (repr(arguments), "done")
