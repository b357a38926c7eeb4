"""Keys: from the environment alone, and shown to nobody."""

from __future__ import annotations

from typing import Any

import pytest

from callscore import InvalidSettings, MissingKey
from callscore.models.secrets import (
    NO_KEY,
    key_for,
    require_no_secret,
    require_url,
    require_variable_name,
    resolve_server,
)

REMOTE = "https://example.org/v1"


def test_the_key_is_read_from_the_variable_that_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", " secret-1\n")

    assert key_for(REMOTE, "MY_KEY") == "secret-1"


@pytest.mark.parametrize("value", [None, "", "  "])
def test_without_a_key_the_error_names_the_variable(
    monkeypatch: pytest.MonkeyPatch, value: str | None
) -> None:
    if value is not None:
        monkeypatch.setenv("MY_KEY", value)

    with pytest.raises(MissingKey, match="set MY_KEY") as raised:
        key_for(REMOTE, "MY_KEY")
    assert raised.value.variable == "MY_KEY"


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1:8080/v1", "http://localhost/v1", "http://[::1]:1/v1", "http://a.localhost"],
)
def test_a_server_on_this_machine_needs_no_key(url: str) -> None:
    assert key_for(url, "MY_KEY") == NO_KEY


@pytest.mark.parametrize("url", ["http://10.0.0.1/v1", "http://localhost.example.org", None])
def test_any_other_server_does(url: str | None) -> None:
    with pytest.raises(MissingKey):
        key_for(url, "MY_KEY")


def test_the_server_is_the_one_given_or_that_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert resolve_server(None) is None
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")

    assert resolve_server(None) == "http://127.0.0.1:1/v1"
    assert resolve_server(REMOTE) == REMOTE
    assert key_for(None, "MY_KEY") == NO_KEY


@pytest.mark.parametrize(
    "name", ["sk-abcdefghij", "Zabcdefghij0123456789Q", "", "a b", "1X", 5, None]
)
def test_what_may_be_a_key_is_not_taken_for_a_variable_and_not_shown(name: Any) -> None:
    with pytest.raises(InvalidSettings, match="name the variable") as raised:
        require_variable_name(name)
    assert "abcdefghij" not in str(raised.value)


@pytest.mark.parametrize(
    "url",
    ["localhost:8080", "ftp://x/v1", "", "http://", "http://[", "http://x:y", "http://x:0", 5],
)
def test_what_is_no_address_is_refused_with_an_example(url: Any) -> None:
    with pytest.raises(InvalidSettings, match="http://localhost:8080/v1"):
        require_url(url)


def test_a_password_in_an_address_is_refused_and_not_shown() -> None:
    with pytest.raises(InvalidSettings, match="password") as raised:
        require_url("https://me:hush@example.org/v1")
    assert "hush" not in str(raised.value)


@pytest.mark.parametrize("url", [None, REMOTE, "http://[::1]:8080/v1"])
def test_an_address_is_fine(url: str | None) -> None:
    require_url(url)


@pytest.mark.parametrize(
    "parameters",
    [
        {"api_key": "hush"},
        {"extra_headers": {"Authorization": "Bearer hush"}},
        {"extra_headers": {"X-API-Key": "hush"}},
        {"extra_query": {"access_token": "hush"}},
        {"extra_query": {"q": "sk-hush-hush-12345"}},
        {"extra_headers": {"sk-hush-hush-12345": "token", "Cookie": "a"}},
    ],
)
def test_keys_among_the_parameters_are_refused_and_not_shown(parameters: dict[str, Any]) -> None:
    with pytest.raises(InvalidSettings, match="key_variable") as raised:
        require_no_secret(parameters)
    assert "hush" not in str(raised.value)


def test_other_headers_are_fine() -> None:
    require_no_secret({"temperature": 0, "extra_headers": {"X-Title": "mine"}})


def test_the_environment_is_held_to_the_same_and_blanks_and_slashes_do_not_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "  http://127.0.0.1:1/v1/ ")
    assert resolve_server(None) == "http://127.0.0.1:1/v1"
    assert resolve_server(" https://example.org/v1/") == REMOTE

    for wrong in ("garbage", "https://me:hush@example.org/v1", "https://example.org/v1?key=hush"):
        monkeypatch.setenv("OPENAI_BASE_URL", wrong)
        with pytest.raises(InvalidSettings, match="OPENAI_BASE_URL: ") as raised:
            resolve_server(None)
        assert "hush" not in str(raised.value)


@pytest.mark.parametrize("url", ["https://example.org/v1?api-version=1", "https://example.org/#a"])
def test_a_query_is_no_part_of_an_address(url: str) -> None:
    with pytest.raises(InvalidSettings, match="extra_query"):
        require_url(url)


@pytest.mark.parametrize("url", ["me:hush@example.org", "me@example.org:hush"])
def test_what_is_no_address_but_holds_a_password_is_not_shown(url: str) -> None:
    with pytest.raises(InvalidSettings, match="password") as raised:
        require_url(url)
    assert "hush" not in str(raised.value)


@pytest.mark.parametrize("value", ["hush\u2013hush", "hush\nhush"])
def test_what_cannot_be_sent_as_a_key_is_refused_and_not_shown(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("MY_KEY", value)

    with pytest.raises(InvalidSettings, match="MY_KEY: it holds characters") as raised:
        key_for(REMOTE, "MY_KEY")
    assert "hush" not in str(raised.value)
