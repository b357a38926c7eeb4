"""Answers: JSON without secrets, and errors as sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from callscore.web.responses import Encoded, encoded

if TYPE_CHECKING:
    from tests.web.conftest import Browser, Runs

SECRET = "wq8Zt2LkPx91Vb"  # noqa: S105  (it is for these tests only)


class Named(msgspec.Struct):
    name: str
    count: int


@pytest.mark.parametrize(
    "value",
    [
        {"text": SECRET},
        {SECRET: 1},
        [("a", [{"deep": f"x{SECRET}x"}])],
        Named(SECRET, 1),
        {"raw": msgspec.Raw(msgspec.json.encode({"inside": SECRET}))},
        Encoded(msgspec.json.encode({"whole": [SECRET]})),
    ],
)
def test_a_secret_is_hidden_wherever_it_is(value: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVICE_TOKEN", SECRET)

    found = encoded(value)

    assert SECRET.encode() not in found
    assert b"[hidden " in found
    assert msgspec.json.decode(found)


def test_numbers_and_texts_without_a_secret_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVICE_TOKEN", "12345678")
    value = {"count": 12345678, "large": 2**80, "text": "as it is", "hidden": "12345678"}

    found = encoded(value)

    assert b'"count":12345678' in found
    assert str(2**80).encode() in found
    assert b'"hidden":"[hidden ' in found


def test_a_bug_is_a_sentence_too_and_printed_without_secrets(
    browser: Browser,
    runs: Runs,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    runs()
    monkeypatch.setenv("SERVICE_TOKEN", SECRET)

    def fail(*_: object) -> None:
        raise ZeroDivisionError(f"{SECRET} \x1b[2J")

    monkeypatch.setattr("callscore.web.run_lists.read_runs", fail)

    answer = browser.get("/api/home", 500)

    printed = capsys.readouterr().err
    assert "the server failed (ZeroDivisionError)" in answer["error"]
    assert "ZeroDivisionError: [hidden " in printed
    assert SECRET not in printed
    assert "\x1b" not in printed
