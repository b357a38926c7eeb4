"""What nobody is to see, taken out of what is shown or kept."""

from __future__ import annotations

from typing import Any

import pytest

from callscore import InvalidSettings, MissingKey
from callscore.models.secrets import (
    NO_KEY,
    contains_secret,
    hide_secrets,
    is_secret_name,
    key_for,
    require_no_secret,
    require_url,
    require_variable_name,
    resolve_server,
)

HUSH = "ZxQq/WmPl+hush"
LOOKS = [
    "sk-proj-hush123hush456",
    "sk-hush****hush",
    "gsk_hushhush1234",
    "hf_hushhushhush1",
    "r8_hushhushhush1",
    "tgp_v1_hushhushhush",
    "fw_hushhushhush1",
    "gho_hushhush1234",
    "ghp_hushhush1234",
    "github_pat_hushhush1234",
    "xoxb-hushhush-1234",
    "AIzaSyA-hush567890hushefghijklm",
    "AKIAHUSH567890123456",
    "eyJhushhush00.eyJhushhush00.hushhush-hush",
    "Bearer hushhushhush1234",
    "-----BEGIN RSA PRIVATE KEY-----\nhush\n-----END RSA PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\nhush",
    "postgres://me:hush@db/x",
    "redis://:hu@sh@db",
]
WORDS = [
    "the task sk-1 is a risk: no-key no key at all, a b c",
    "Learn with sk-learn and hf_transfer; a bearer of good news.",
    "http://localhost:8080/v1 and me@example.org",
    "A token is a word, and so is a key=word.",
]


@pytest.mark.parametrize("text", LOOKS)
def test_a_text_that_looks_like_a_secret_is_hidden(text: str) -> None:
    shown = hide_secrets(f"it said: {text}, and no more").lower()

    assert "***" in shown
    assert "hush" not in shown
    assert contains_secret(f"<{text}>")


@pytest.mark.parametrize(
    "text",
    ["sent 'Bearer hush'", "Authorization: Basic hush", "GET /v1?api_key=hush&x=1", "&sig=hush"],
)
def test_a_value_after_a_word_that_announces_a_secret_is_hidden(text: str) -> None:
    assert "hush" not in hide_secrets(text)
    assert not contains_secret(text)


@pytest.mark.parametrize("text", WORDS)
def test_words_stay(text: str) -> None:
    assert hide_secrets(text, ("a", "key")) == text
    assert not contains_secret(text)


def test_a_known_secret_is_hidden() -> None:
    assert hide_secrets(f"wrong key {HUSH}!", (HUSH,)) == "wrong key ***!"


@pytest.mark.parametrize(
    "name",
    [
        *("MY_KEY", "KEY_OF_MINE", "token", "A_SECRET_B", "DB_PASSWORD", "PASSWD"),
        *("MY_CREDENTIALS", "NPM_AUTH", "AUTHORIZATION"),
    ],
)
def test_secrets_of_the_environment_are_hidden(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, f" {HUSH}\n")

    assert hide_secrets(f"it was {HUSH}.") == f"it was [hidden {name}]."


def test_a_longer_secret_is_hidden_before_its_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_KEY", HUSH)
    monkeypatch.setenv("B_KEY", f"{HUSH}-and-more")

    assert hide_secrets(f"{HUSH}-and-more") == "[hidden B_KEY]"


@pytest.mark.parametrize(
    ("name", "value"), [("GIT_AUTHOR_NAME", HUSH), ("MY_KEY", "word"), ("EDITOR", HUSH)]
)
def test_anything_else_in_the_environment_is_not(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)

    assert hide_secrets(f"it was {value}.") == f"it was {value}."


@pytest.mark.parametrize(
    "name",
    ["key", "API-Key", "x_api_key", "access_token", "Proxy-Authorization", "Cookie", "password"],
)
def test_names_tell(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize("name", ["keyboard", "max_tokens", "monkey", "X-Title", "stop_token_ids"])
def test_other_names_do_not(name: str) -> None:
    assert not is_secret_name(name)


@pytest.mark.parametrize(
    "text", ["sk-", "://a:", "-eyJ", "Bearer ", "-----BEGIN PRIVATE KEY-----", "&key", "eyJ.x-."]
)
def test_a_hostile_text_does_not_keep_us_busy(text: str) -> None:
    # A pattern that tries every way to divide the text would not end.
    assert len(hide_secrets(text * 20_000)) <= len(text) * 20_000


# Keys: from the environment alone, and shown to nobody.

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

    with pytest.raises(MissingKey, match="MY_KEY is not set") as raised:
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
def test_an_invalid_variable_name_is_refused_and_a_possible_key_not_shown(name: Any) -> None:
    with pytest.raises(InvalidSettings, match="name of an environment variable") as raised:
        require_variable_name(name)
    assert "abcdefghij" not in str(raised.value)


@pytest.mark.parametrize(
    "url",
    ["localhost:8080", "ftp://x/v1", "", "http://", "http://[", "http://x:y", "http://x:0", 5],
)
def test_an_invalid_address_is_refused_with_an_example(url: Any) -> None:
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
def test_the_password_in_an_address_without_a_scheme_is_not_shown(url: str) -> None:
    with pytest.raises(InvalidSettings, match="password") as raised:
        require_url(url)
    assert "hush" not in str(raised.value)


@pytest.mark.parametrize("value", ["hush\u2013hush", "hush\nhush"])
def test_a_key_with_characters_that_cannot_be_sent_is_refused_and_not_shown(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("MY_KEY", value)

    with pytest.raises(InvalidSettings, match="MY_KEY: the key contains characters") as raised:
        key_for(REMOTE, "MY_KEY")
    assert "hush" not in str(raised.value)


def test_the_password_of_a_history_is_hidden() -> None:
    assert hide_secrets("runs/mine.db") == "runs/mine.db"
    shown = hide_secrets(
        "postgresql://me:secret-42@host:5432/db?password=secret-42&sslmode=require"
    )
    assert "secret-42" not in shown
    assert "host:5432/db" in shown
