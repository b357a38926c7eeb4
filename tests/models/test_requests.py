"""What a model is asked: messages and parameters."""

from __future__ import annotations

from typing import Any

import pytest

from callscore import Case, InvalidSettings
from callscore.models.requests import as_case, messages_for, request_body, require_known_parameters

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


def test_the_system_prompt_goes_first() -> None:
    system = {"role": "system", "content": "Be kind."}

    assert messages_for(Case(HELLO), system="Be kind.", prompt=None) == [system, *HELLO]


def test_a_prompt_is_said_in_place_of_the_input() -> None:
    said = messages_for(Case("Hello"), system=None, prompt="They say: {{input}}")

    assert said == [{"role": "user", "content": "They say: Hello"}]


def test_a_case_that_asks_nothing_is_an_error_that_names_it() -> None:
    with pytest.raises(InvalidSettings, match="the case 'one' has no input"):
        messages_for(Case(id="one"), system=None, prompt=None)


def test_the_body_holds_what_was_said_and_nothing_that_is_none() -> None:
    body = request_body("m", HELLO, (), {"temperature": 0, "seed": None})

    assert body == {"model": "m", "messages": HELLO, "temperature": 0}


def test_a_stream_is_asked_for_its_tokens_unless_somebody_says_otherwise() -> None:
    assert request_body("m", [], (), {"stream": True})["stream_options"] == {"include_usage": True}
    assert "stream_options" not in request_body(
        "m", [], (), {"stream": True, "stream_options": None}
    )


def test_a_slip_in_a_parameter_is_an_error_that_says_what_is_meant() -> None:
    require_known_parameters({"temperature": 0, "extra_body": {"min_p": 0.1}, "stream": True})

    with pytest.raises(InvalidSettings, match=r"'temprature'\. Is 'temperature' meant"):
        require_known_parameters({"temprature": 0})
    with pytest.raises(
        InvalidSettings, match=r"'zzz'\. What only one server knows goes into extra"
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
