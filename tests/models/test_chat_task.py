"""A model asked over HTTP: answers, errors that pass and errors that do not, and no key anywhere."""

from __future__ import annotations

import asyncio
import traceback
from functools import partial
from typing import Any

import msgspec
import pytest
from tests.servers.openai_server import ERROR_429, OpenAIServer, Reply, in_turn, openai_server

from callscore import (
    Case,
    InvalidSettings,
    MissingKey,
    ModelFailed,
    Tool,
    models,
    read_calls,
)
from callscore.models import Limits, Rate
from callscore.models.chat_task import make_tool_offer
from callscore.models.limits import run_limits
from callscore.models.usage import count_requests, usage_of

KEY = "ZxQqWmPl-hush-hush-1234"
WEATHER = ("weather", {"city": "Paris"})
TOOLS = [{"name": "weather", "input_schema": {"type": "object"}}]
PATIENT = Limits(retries=2, timeout=300)


def ask(server: OpenAIServer, given: Any = "Hello", /, **options: Any) -> dict[str, Any]:
    options = {"limits": PATIENT, **options}
    chat = models.chat("m", base_url=server.base_url, **options)
    return asyncio.run(chat(given))


def test_the_answer_is_the_response_as_plain_data() -> None:
    with openai_server(in_turn(Reply(text="Hi", calls=[WEATHER]))) as server:
        answer = ask(server, Case("Hello", id="one"), tools=TOOLS, temperature=0)

    assert answer["choices"][0]["message"]["content"] == "Hi"
    assert [(call.name, call.arguments) for call in read_calls(answer)] == [WEATHER]
    assert usage_of(answer).input_tokens == 20
    body = server.requests[0].body
    assert body["messages"] == [{"role": "user", "content": "Hello"}]
    assert (body["model"], body["temperature"]) == ("m", 0)
    assert body["tools"][0]["function"]["name"] == "weather"


def test_a_call_that_the_server_threw_away_is_scored_too() -> None:
    lost = {"message": "Failed", "code": "tool_use_failed", "failed_generation": "<weather>{"}
    reply = Reply(status=400, body=_json({"error": lost}))
    with openai_server(in_turn(reply)) as server:
        (call,) = read_calls(ask(server))

    assert (call.error, call.failed, call.result) == ("invalid_json", True, "Failed")


@pytest.mark.parametrize(
    "trouble",
    [
        ERROR_429,
        Reply(is_dropped=True),
        Reply(text="half a body", half=20),
        Reply(body=b'{"error": {"message": "overloaded", "code": 503}}'),
        Reply(body=b'{"choices": []}'),
    ],
    ids=["429", "dropped", "half", "error in success", "empty"],
)
def test_trouble_that_passes_is_waited_for(trouble: Reply) -> None:
    with openai_server(in_turn(trouble, trouble, Reply(text="Hi"))) as server:
        answer = ask(server)

    assert answer["choices"][0]["message"]["content"] == "Hi"
    assert len(server.requests) == 3


def test_after_so_many_attempts_it_is_given_up() -> None:
    with openai_server(in_turn(ERROR_429)) as server, pytest.raises(ModelFailed) as raised:
        ask(server, limits=Limits(retries=1))

    assert len(server.requests) == 2
    assert (raised.value.status, raised.value.attempts) == (429, 2)
    assert str(raised.value) == (
        "m: the server returned 429 Too Many Requests: Rate limit reached. (2 attempts)"
    )


def test_a_model_that_never_answers_is_asked_again_and_given_up() -> None:
    with (
        openai_server(in_turn(Reply(is_hung=True))) as server,
        pytest.raises(ModelFailed) as raised,
    ):
        ask(server, limits=Limits(retries=1, timeout=2))

    assert (raised.value.attempts, raised.value.is_timeout) == (2, True)
    assert "no answer within 2 s" in str(raised.value)


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (Reply(status=400, message="no such thing"), "returned 400 Bad Request: no such thing"),
        (Reply(status=404), "returned 404 Not Found"),
        (Reply(body="<html>Welcome</html>"), "is not JSON"),
        (Reply(body="{}"), "has no choices"),
    ],
)
def test_trouble_that_does_not_pass_is_said_at_once(reply: Reply, problem: str) -> None:
    with openai_server(in_turn(reply)) as server, pytest.raises(ModelFailed, match=problem):
        ask(server)

    assert len(server.requests) == 1


def test_a_server_that_is_not_there_is_named() -> None:
    with openai_server() as server:
        pass
    with pytest.raises(ModelFailed, match=f"Is the server running at {server.base_url}"):
        ask(server)


@pytest.mark.parametrize(
    "reply",
    [
        Reply(status=401, message=f"Incorrect API key provided: {KEY}."),
        Reply(status=401, message="Incorrect API key provided: sk-other-key-9999."),
        Reply(status=500, body=f"<html>Authorization: Bearer {KEY}</html>"),
        Reply(body=f"not JSON {KEY}"),
        Reply(body=f'{{"error": "{KEY}"}}'),
        Reply(is_dropped=True),
        Reply(is_hung=True),
    ],
)
def test_no_error_shows_a_key(reply: Reply, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with openai_server(in_turn(reply)) as server, pytest.raises(ModelFailed) as raised:
        ask(server, limits=Limits(retries=1, timeout=0.2 if reply.is_hung else 300))

    # A slow machine may give up before its request is there.
    assert server.requests or reply.is_hung
    assert {one.headers["authorization"] for one in server.requests} <= {f"Bearer {KEY}"}
    shown = "".join(traceback.format_exception(raised.value)) + repr(raised.value)
    assert "hush" not in shown
    assert "9999" not in shown
    assert raised.value.__cause__ is None
    assert raised.value.__context__ is None


def test_without_a_key_nothing_is_asked() -> None:
    chat = models.chat("m", base_url="https://example.org/v1", key_variable="MY_KEY")

    with pytest.raises(MissingKey, match="MY_KEY"):
        asyncio.run(chat("Hello"))
    with pytest.raises(MissingKey, match="MY_KEY"):
        chat.require()


@pytest.mark.parametrize(
    "place",
    [
        1,
        4,
    ],
)
def test_half_a_stream_is_asked_for_again(place: int) -> None:
    whole = Reply(text="Let me see", calls=[WEATHER])
    half = Reply(text="Let me see", calls=[WEATHER], half=place)
    with openai_server(in_turn(half, whole)) as server:
        answer = ask(server, stream=True)

    assert len(server.requests) == 2
    assert [(call.name, call.arguments) for call in read_calls(answer)] == [WEATHER]


def test_a_stream_is_gathered_with_its_tokens() -> None:
    with openai_server(in_turn(Reply(calls=[WEATHER, ("weather", '{"ci')]))) as server:
        answer = ask(server, stream=True)

    assert server.requests[0].body["stream"] is True
    assert [call.error for call in read_calls(answer)] == [None, "truncated_json"]
    assert usage_of(answer).output_tokens == 10


def test_parameters_of_one_server_go_into_the_body() -> None:
    with openai_server(in_turn(Reply(text="Hi"))) as server:
        ask(server, extra_body={"min_p": 0.1}, extra_headers={"X-Title": "mine"}, seed=None)

    assert server.requests[0].body["min_p"] == 0.1
    assert server.requests[0].headers["x-title"] == "mine"
    assert "seed" not in server.requests[0].body


def test_a_variant_overrides_what_the_chat_says() -> None:
    with openai_server(in_turn(Reply(text="Hi"))) as server:
        chat = models.chat("m", base_url=server.base_url, tools=TOOLS, system="a", temperature=1)

        async def main() -> None:
            await chat("Hello", model="n", system="b", temperature=0, seed=7)
            await chat("Hello", tools=[], prompt="Say: {{input}}")
            await chat("Hello")

        asyncio.run(main())

    first, second, third = (request.body for request in server.requests)
    assert (first["model"], first["temperature"], first["seed"]) == ("n", 0, 7)
    assert first["messages"][0] == {"role": "system", "content": "b"}
    assert first["tools"][0]["function"]["name"] == "weather"
    assert "tools" not in second
    assert second["messages"][1]["content"] == "Say: Hello"
    assert (third["model"], third["temperature"]) == ("m", 1)


def test_the_limits_of_the_run_hold_and_requests_are_counted() -> None:
    async def main(server: OpenAIServer) -> int:
        run_limits.set(Limits(retries=3, rate=Rate(1e6)))
        with count_requests() as asked:
            await models.chat("m", base_url=server.base_url)("Hello")
        return asked.requests

    with openai_server(in_turn(ERROR_429, ERROR_429, ERROR_429, Reply(text="Hi"))) as server:
        assert asyncio.run(main(server)) == 4


def test_many_are_asked_at_once_over_a_few_connections() -> None:
    async def main(server: OpenAIServer) -> int:
        chat = models.chat("m", base_url=server.base_url)
        answers = await asyncio.gather(*(chat(f"Question {number}") for number in range(50)))
        return len(answers)

    with openai_server(together=11) as server:
        assert asyncio.run(main(server)) == 50
    assert server.most_in_flight >= 11
    assert len({request.body["messages"][0]["content"] for request in server.requests}) == 50


def test_the_identity_is_what_decides_the_answer_and_holds_no_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    chat = models.chat("m", tools=TOOLS, system="a", temperature=0)
    again = models.chat("m", tools=TOOLS, system="a", temperature=0, limits=PATIENT)

    assert chat.identity() == again.identity()
    assert KEY not in str(chat.identity()) + repr(chat) + str(chat.asks("Hello"))
    assert chat.with_overrides() is chat
    others = {"model": "n", "system": "b", "temperature": 1, "tools": [], "max_steps": 3}
    for name, value in others.items():
        assert chat.with_overrides(**{name: value}).identity() != chat.identity()


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({"model": None}, "model: expected a string, got None"),
        ({"system": 5}, "system: expected a string, got 5"),
        ({"prompt": "{{question}}"}, "unknown field 'question'"),
        ({"base_url": "localhost"}, "base_url"),
        ({"key_variable": KEY}, "key_variable"),
        ({"api_key": KEY}, "keys are only read from the environment"),
        ({"max_steps": 0}, "max_steps"),
        ({"max_steps": True}, "max_steps"),
        ({"limits": 5}, r"callscore\.models\.Limits"),
        ({"extra_query": {"api_key": KEY}}, "extra_query: api_key: keys are only read"),
        ({"extra_headers": {"X-Mine": f"Bearer {KEY}"}}, "X-Mine: keys are only read"),
    ],
)
def test_an_invalid_option_of_a_chat_is_refused_before_any_request(
    wrong: Any, problem: str
) -> None:
    with pytest.raises(InvalidSettings, match=problem) as raised:
        models.chat(**{"model": "m", **wrong})
    assert "hush" not in str(raised.value)


def _json(value: Any) -> bytes:

    return msgspec.json.encode(value)


def test_an_answer_that_repeats_the_key_is_scored_as_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with openai_server(in_turn(Reply(text=f"You sent Bearer {KEY}"))) as server:
        answer = ask(server)
        streamed = ask(server, stream=True)

    assert answer["choices"][0]["message"]["content"] == f"You sent Bearer {KEY}"
    assert KEY in str(streamed)


@pytest.mark.parametrize(
    ("variable", "value", "problem"),
    [
        (
            "OPENAI_BASE_URL",
            "http://me:hush@127.0.0.1:9/v1",
            "OPENAI_BASE_URL: the address contains a password",
        ),
        (
            "OPENAI_API_KEY",
            "hush\u2013hush",
            "OPENAI_API_KEY: the key contains characters that cannot be sent",
        ),
    ],
)
def test_an_invalid_address_or_key_in_the_environment_is_refused_and_not_shown(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, problem: str
) -> None:
    monkeypatch.setenv(variable, value)
    chat = models.chat("m")

    with pytest.raises(InvalidSettings, match=problem) as raised:
        chat.require()
    assert "hush" not in str(raised.value)
    with pytest.raises(InvalidSettings, match=problem):
        asyncio.run(chat("Hello"))


def test_a_half_of_a_character_in_what_is_asked_is_spelled_out() -> None:
    with openai_server(in_turn(Reply(text="Hi"))) as server:
        ask(server, "a \ud800", system="b \ud800")
        ask(server, [{"role": "user", "content": "a \ud800"}])
        ask(server, "a \ud800", prompt="{{input}}")

    assert [request.body["messages"][-1]["content"] for request in server.requests] == [
        "a \\ud800"
    ] * 3
    assert server.requests[0].body["messages"][0]["content"] == "b \\ud800"


# Tools as a model is offered them.

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
READY = {"type": "function", "function": {"name": "weather", "parameters": SCHEMA, "strict": True}}


def weather(city: str) -> str:
    """Tell the weather."""
    return f"It rains in {city}."


@pytest.mark.parametrize(
    "tools",
    [
        [{"name": "weather", "input_schema": SCHEMA}],
        [Tool("weather", None, SCHEMA)],
        {"tools": [{"name": "weather", "parameters": SCHEMA}]},
    ],
)
def test_definitions_of_every_dialect_are_sent_in_openai_s_form(tools: Any) -> None:
    offer = make_tool_offer(tools)

    assert offer.definitions == (
        {"type": "function", "function": {"name": "weather", "parameters": SCHEMA}},
    )
    assert offer.names == ["weather"]
    assert offer.functions == {}


def test_a_tool_definition_in_openai_s_form_is_sent_unchanged() -> None:
    assert make_tool_offer([READY, "other"]).definitions == (
        READY,
        {
            "type": "function",
            "function": {"name": "other", "parameters": {"type": "object", "properties": {}}},
        },
    )


@pytest.mark.parametrize("tools", [weather, [weather], (weather,), {"weather": weather}])
def test_a_function_is_a_tool_that_can_be_run(tools: Any) -> None:
    offer = make_tool_offer(tools)

    assert offer.functions == {"weather": weather}
    function = offer.definitions[0]["function"]
    assert function["description"] == "Tell the weather."
    assert function["parameters"]["properties"] == {"city": {"type": "string"}}


def test_a_function_is_known_by_what_it_does() -> None:
    plain = make_tool_offer([weather]).identity()
    in_paris = make_tool_offer([partial(weather, city="Paris")]).identity()
    in_oslo = make_tool_offer([partial(weather, city="Oslo")]).identity()

    assert "It rains in" in plain["functions"]["weather"]
    assert len({str(one) for one in (plain, in_paris, in_oslo)}) == 3
    assert make_tool_offer({"length": len}).identity()["functions"] == {"length": "len"}


def test_functions_of_one_text_that_were_made_with_other_values_differ() -> None:
    def made(currency: Any) -> Any:
        def price() -> str:
            """Tell the price."""
            return f"5 {currency}"

        return price

    euro, again, dollar = (
        make_tool_offer([made(name)]).identity() for name in ("hush", "hush", "USD")
    )

    assert euro == again
    assert euro != dollar
    assert "hush" not in str(euro["functions"])
