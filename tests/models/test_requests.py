"""What a model is asked: messages and parameters."""

from __future__ import annotations

import asyncio
import gc
import sys
from typing import Any

import pytest

from callscore import Case, InvalidSettings, MissingExtra
from callscore.models.requests import (
    as_case,
    client_for,
    fill_template,
    messages_for,
    require_known_parameters,
    require_sdk,
    require_template,
    thread_client,
)

HELLO = [{"role": "user", "content": "Hello"}]


@pytest.mark.parametrize(
    ("asked", "messages"),
    [
        ("Hello", HELLO),
        (HELLO, HELLO),
        ({"messages": HELLO}, HELLO),
        ({"city": "Paris"}, [{"role": "user", "content": '{"city":"Paris"}'}]),
        ([1, 2], [{"role": "user", "content": "[1,2]"}]),
        ([], [{"role": "user", "content": "[]"}]),
        ("", [{"role": "user", "content": ""}]),
    ],
)
def test_an_input_becomes_messages(asked: Any, messages: list[dict[str, Any]]) -> None:
    assert messages_for(as_case(asked), system=None, prompt=None) == messages
    assert messages_for(Case(asked), system=None, prompt=None) == messages


def test_a_case_that_asks_nothing_is_an_error_that_names_it() -> None:
    with pytest.raises(InvalidSettings, match="the case 'one' has no input"):
        messages_for(Case(id="one"), system=None, prompt=None)


def test_a_slip_in_a_parameter_is_an_error_that_says_what_is_meant() -> None:
    require_known_parameters({"temperature": 0, "extra_body": {"min_p": 0.1}, "stream": True})

    with pytest.raises(InvalidSettings, match=r"'temprature'\. Did you mean 'temperature'"):
        require_known_parameters({"temprature": 0})
    with pytest.raises(
        InvalidSettings, match=r"'zzz'\. Pass parameters of a single server in extra"
    ):
        require_known_parameters({"zzz": 0})


def test_parts_of_what_a_user_says_are_one_message() -> None:
    parts = [
        {"type": "text", "text": "What is it?"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
    ]

    assert messages_for(Case(parts), system=None, prompt=None) == [
        {"role": "user", "content": parts}
    ]


@pytest.mark.parametrize("asked", [HELLO, [{"type": "text", "text": "Hello"}]])
def test_a_prompt_cannot_hold_messages(asked: Any) -> None:
    with pytest.raises(InvalidSettings, match="the input of the case 'one' is a list of messages"):
        messages_for(Case(asked, id="one"), system=None, prompt="Say: {{input}}")


@pytest.mark.parametrize("role", ["system", "developer"])
def test_messages_that_begin_with_a_system_message_keep_it(role: str) -> None:
    messages = [{"role": role, "content": "Be brief."}, *HELLO]

    assert messages_for(Case(messages), system="Be kind.", prompt=None) == messages


# The clients of the SDK: one an event loop and server, closed with the loop.

URL = "http://127.0.0.1:1/v1"


def test_without_the_sdk_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    require_sdk()
    monkeypatch.setitem(sys.modules, "openai", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)

    with pytest.raises(MissingExtra, match=r"callscore\[openai\]"):
        require_sdk()
    with pytest.raises(MissingExtra, match=r"callscore\[openai\]"):
        thread_client(URL, "a")
    with pytest.raises(MissingExtra, match=r"callscore\[openai\]"):
        asyncio.run(client_for(URL, "a"))


@pytest.mark.parametrize(
    ("proxy", "problem"), [("socks5://me:hush@127.0.0.1:9", "socks"), ("foo://me:hush@x", "proxy")]
)
def test_a_proxy_that_cannot_be_used_is_said_quietly(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], proxy: str, problem: str
) -> None:
    monkeypatch.setenv("HTTP_PROXY", proxy)
    complaints: list[Any] = []

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, told: complaints.append(told))
        with pytest.raises(InvalidSettings, match="HTTP_PROXY") as raised:
            await client_for("http://example.org/v1", "a")
        assert problem in str(raised.value).lower()
        assert "hush" not in str(raised.value)
        del raised
        gc.collect()
        await asyncio.sleep(0)

    asyncio.run(main())
    with pytest.raises(InvalidSettings, match="HTTP_PROXY"):
        thread_client("http://example.org/v1", "a")
    gc.collect()
    assert complaints == []
    assert capsys.readouterr().err == ""


# Prompts with places: what is put in, once, and as it is.

CASE = Case(
    {"text": "weather?", "city": {"name": "Paris"}},
    id="one",
    tags=("a", "b"),
    metadata={"unit": "C", "none": None, "list": [{"x": 5}]},
)


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("Ask: {{input.text}}", "Ask: weather?"),
        ("{{ input.city.name }} in {{metadata.unit}}", "Paris in C"),
        ("{{id}} {{tags}}", 'one ["a","b"]'),
        ("{{input}}", '{"text":"weather?","city":{"name":"Paris"}}'),
        ("no place { input } {}", "no place { input } {}"),
        ("write {{{{input}} for {{input.text}}", "write {{input}} for weather?"),
        ('{"a": {"b": "{{id}}"}}}}', '{"a": {"b": "one"}}}}'),
        ("{{tags.1}} {{metadata.list.0.x}}", "b 5"),
    ],
)
def test_places_are_filled_with_what_the_case_holds(template: str, text: str) -> None:
    require_template(template)

    assert fill_template(template, CASE) == text


def test_a_value_that_looks_like_a_place_stays_as_it_is() -> None:
    assert (
        fill_template("<{{input}}>", Case("{{id}} {0} %s ${x}", id="one")) == "<{{id}} {0} %s ${x}>"
    )


@pytest.mark.parametrize("place", ["question", "", "expected", "input__class__", "case.input"])
def test_an_unknown_field_in_a_template_is_refused_before_any_request(place: str) -> None:
    with pytest.raises(InvalidSettings, match="unknown field"):
        require_template(f"{{{{{place}}}}}")


@pytest.mark.parametrize(
    "place",
    ["metadata.town", "input.text.more", "metadata.none", "tags.2", "metadata.list.x", "tags.-1"],
)
def test_a_template_value_that_a_case_lacks_is_an_error_that_names_the_case(place: str) -> None:
    with pytest.raises(InvalidSettings, match=f"the case 'one' has no value '{place}"):
        fill_template(f"{{{{{place}}}}}", CASE)
