"""Which variables hold secrets."""

from __future__ import annotations

import pytest
from tests.hiding.encodings import PEM

from callscore.hiding import environment
from callscore.hiding.environment import is_secret_variable, mark_as_secret


def secret_values() -> tuple[str, ...]:
    return tuple([text for _, text in environment.secret_values()])


@pytest.fixture(autouse=True)
def _no_other_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.environ", {})


@pytest.mark.parametrize(
    "name",
    [
        *("OPENAI_API_KEY", "KEY", "KEY_OF_MINE", "TOKEN2", "API_KEY_2", "AWS_SECRET_ACCESS_KEY"),
        *("githubToken", "dbPassword", "APIKey", "my-token", "spring.datasource.password"),
        *("NPM_AUTH", "AUTHORIZATION", "MY_CREDENTIALS", "MYSQL_PWD", "DB_PASS", "GITHUB_PAT"),
    ],
)
def test_a_word_of_a_name_tells(name: str) -> None:
    assert is_secret_variable(name)


@pytest.mark.parametrize(
    "name",
    [
        *("KEYBOARD_LAYOUT", "MONKEY_ISLAND", "KEYCLOAK_REALM", "TOKENIZERS_PARALLELISM"),
        *("AUTHOR", "GIT_AUTHOR_NAME", "PASSWORDLESS", "PWD", "OLDPWD", "PASS_MARK", "PATH"),
        *("SSH_AUTH_SOCK", "SECRETARY", "XAUTHORITY", "HOTKEYS", "PAT_THE_CAT"),
    ],
)
def test_a_part_of_a_word_does_not(name: str) -> None:
    assert not is_secret_variable(name)


def test_short_values_and_words_of_the_formats_are_not_hidden(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    values = {
        "A_KEY": "short",
        "B_KEY": "arguments",
        "C_KEY": "argument",
        "D_KEY": "$contains",
        "E_KEY": "maxLength",
    }
    for name, value in values.items():
        monkeypatch.setitem(__import__("os").environ, name, value)

    assert secret_values() == ()


def test_the_variable_of_a_key_is_hidden_whatever_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.environ", {"TUNA_SERVER": " a-key-of-the-server\n"})

    mark_as_secret("TUNA_SERVER")

    assert secret_values() == ("a-key-of-the-server",)


def test_the_lines_of_a_private_key_are_secrets_too(monkeypatch: pytest.MonkeyPatch) -> None:
    on_one_line = PEM.replace("\n", "\\n")
    monkeypatch.setattr("os.environ", {"A_KEY": on_one_line})

    lines = ("MIIEvQIBADANBgkqhkiG9w0B", "q8hZ/+abcdefgh12345678==")
    assert secret_values() == (on_one_line, PEM, *lines)


def test_the_secrets_in_a_json_document_are_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    document = (
        '{"type": "a_long_account", "keys": [{"private_key": "a-private-key-of-mine"}], "n": 1}'
    )
    monkeypatch.setattr("os.environ", {"A_KEY": document, "B_KEY": "{not json at all"})

    assert secret_values() == (document, "a-private-key-of-mine", "{not json at all")


def test_quotes_around_a_value_are_not_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.environ", {"A_KEY": "'a-key-in-quotes'"})

    assert secret_values() == ("'a-key-in-quotes'", "a-key-in-quotes")
