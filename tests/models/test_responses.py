"""What a server answered, and what went wrong, in sentences without a key."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from callscore.models.responses import Unusable, completion_in, lost_call_in, model_failed
from callscore.models.retrying import is_transient

CHOICES = '{"choices": [{"message": {"role": "assistant", "content": %s}}]}'


def response(content: str | bytes) -> httpx2.Response:
    return httpx2.Response(200, content=content)


def failed(error: Exception, key: str = "hush-hush") -> Any:
    return model_failed(error, model="m", server="http://127.0.0.1:1/v1", key=key)


def said(content: str) -> Any:
    return completion_in(response(CHOICES % content))["choices"][0]["message"]["content"]


def test_a_completion_is_given_as_it_is() -> None:
    assert said('"hi"') == "hi"


def test_what_only_a_lenient_reader_takes_becomes_plain_data() -> None:
    assert said(r'"half \ud83d"') == "half \\ud83d"
    assert said("NaN") == "NaN"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("<html>Welcome</html>", "is not JSON: '<html>Welcome</html>'"),
        ("", "is not JSON: ''"),
        (b"\xff\xfe", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[]", r"has no choices: '\[\]'"),
        ('{"choices": null}', "has no choices"),
        ('{"error": "no such model"}', "answered with an error: no such model"),
        ('{"error": {"message": "no such model", "code": 404}}', "no such model"),
        ('{"error": {"reason": "?"}}', "reason"),
    ],
)
def test_anything_else_cannot_be_used_and_does_not_pass(content: Any, problem: str) -> None:
    with pytest.raises(Unusable, match=problem) as raised:
        completion_in(response(content))

    assert not is_transient(raised.value)


def test_an_error_with_the_status_of_success_may_pass() -> None:
    with pytest.raises(Unusable) as raised:
        completion_in(response('{"error": {"message": "slow down", "code": 429}}'))

    assert is_transient(raised.value)
    assert failed(raised.value).status == 429


class APIConnectionError(Exception):
    """As the SDK calls it."""


class APITimeoutError(APIConnectionError):
    """Likewise."""


class StatusError(Exception):
    def __init__(self, status: int, body: Any) -> None:
        super().__init__(f"Error code: {status}")
        self.status_code = status
        self.body = body


@pytest.mark.parametrize(
    ("error", "problem", "is_timeout"),
    [
        (
            StatusError(401, {"message": "Incorrect key hush-hush or sk-abcdefghijkl"}),
            "the server answered 401 Unauthorized: Incorrect key *** or ***",
            False,
        ),
        (
            StatusError(529, "so\nbusy"),
            "the server answered 529: so busy",
            False,
        ),
        (
            StatusError(500, None),
            "the server answered 500 Internal Server Error: Error code",
            False,
        ),
        (
            ConnectionError("the stream ended in the middle"),
            "the connection to http://127.0.0.1:1/v1 failed: the stream ended in the middle",
            False,
        ),
        (APIConnectionError(), "the connection to http://127.0.0.1:1/v1 failed: API", False),
        (TimeoutError("there was no answer within 1 s"), "there was no answer within 1 s", True),
        (TimeoutError(), "there was no answer in time", True),
        (APITimeoutError("Request timed out."), "the connection to", True),
        (Unusable("the server's answer is not JSON"), "the server's answer is not JSON", False),
        (KeyError("x"), "KeyError: 'x'", False),
    ],
)
def test_what_went_wrong_is_a_sentence(error: Exception, problem: str, is_timeout: bool) -> None:
    found = failed(error)

    assert found.problem.startswith(problem)
    assert str(found).startswith(f"m: {problem}")
    assert found.is_timeout is is_timeout
    assert found.attempts == 1


def test_a_long_answer_is_cut() -> None:
    assert len(failed(StatusError(500, "x" * 10_000)).problem) <= 300


def test_a_call_that_the_server_threw_away_is_an_answer() -> None:
    body = {"code": "tool_use_failed", "message": "no", "failed_generation": "<f>{"}

    assert lost_call_in(StatusError(400, body)) == {"error": body}
    assert lost_call_in(StatusError(400, {"code": "other"})) is None
    assert lost_call_in(ValueError()) is None
