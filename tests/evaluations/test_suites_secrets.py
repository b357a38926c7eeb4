"""Keys and passwords are found by their looks and by their names, and words are not."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.evaluations.suites import find_named_secret, find_secret

# Put together here, so that nobody who looks for keys finds one in this file.
FAKE = "sk" + "-" + "abcDEF0123456789abcd"


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"name": FAKE}, ("name",)),
        ({"list": ["a", {"b": f"use {FAKE}!"}]}, ("list", 1, "b")),
        ({FAKE: 1}, (FAKE,)),
        (FAKE, ()),
        ({"url": "https://me:pass" + "word@example.com/v1"}, ("url",)),
        ({"x": "Bearer " + "abcdefgh12345678"}, ("x",)),
        ({"x": "AKIA" + "ABCDEFGHIJKLMNOP"}, ("x",)),
        ({"x": "-----BEGIN RSA PRIVATE" + " KEY-----"}, ("x",)),
        ({"first": FAKE, "second": FAKE}, ("first",)),
    ],
)
def test_a_secret_is_known_by_its_looks(value: Any, path: tuple[str | int, ...]) -> None:
    assert find_secret(value) == path


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"api_key": "x"}, ("api_key",)),
        ({"apiKey": "x"}, ("apiKey",)),
        ({"OPENAI-API-KEY": "x"}, ("OPENAI-API-KEY",)),
        (
            {"parameters": {"extra_headers": {"Authorization": "x"}}},
            ("parameters", "extra_headers", "Authorization"),
        ),
        ({"token": "x"}, ("token",)),
        ({"client_secret": "x"}, ("client_secret",)),
    ],
)
def test_a_secret_is_known_by_its_name(value: Any, path: tuple[str | int, ...]) -> None:
    assert find_named_secret(value) == path


@pytest.mark.parametrize(
    "value",
    [
        None,
        "password",
        {"max_tokens": 5, "max_completion_tokens": 7, "key_variable": "MY_API_KEY_NAME"},
        {"api_key": None, "password": "", "key": 7},
        {"system": "Learn with sk-learn and hf_transfer; a bearer of good news."},
        {"base_url": "http://localhost:8080/v1", "name": "gpt-4.1-mini-2025-04-14"},
        {"keys": ["a"], "monkey": "b", "tokenizer": "c", "secretary": "d"},
        {"password": {"type": "string"}},
        {"response_format": {"json_schema": {"password": "text"}}},
        {"tools": [{"parameters": {"properties": {"password": "string"}}}]},
    ],
)
def test_words_and_schemas_are_no_secrets(value: Any) -> None:
    assert find_secret(value) is None
    assert find_named_secret(value) is None
