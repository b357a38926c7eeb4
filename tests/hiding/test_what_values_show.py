"""What Python objects show of themselves: no secret; their attributes and plain data have the real values."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest
from rich.console import Console
from tests.hiding.encodings import SECRETS

import callscore
from callscore import Score
from callscore.core.case import Case
from callscore.core.results import EvaluationResults, Result, Results, RunResults, Unloaded
from callscore.core.settings import Settings
from callscore.core.summary import Summary

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def a_score(secret: str) -> Score:
    made = [("f", {"k": f"{secret}!", "n": 1}), ("f", {secret: 1}), (secret, {"in": [secret]})]
    return callscore.score([("f", {"k": secret, "n": 1}), ("g", {"k": secret})], made)


def printed(score: Score) -> str:
    console = Console(file=io.StringIO(), width=100)
    with console.capture() as capture:
        console.print(score)
    return capture.get()


WAYS: dict[str, Callable[[Score], str]] = {
    "str": str,
    "repr": repr,
    "format": "{}".format,
    "rich": printed,
    "explain": Score.explain,
    "explain in Russian": lambda score: score.explain(lang="ru"),
    "a case": lambda score: repr(Result(case=Case(id="a"), score=score)),
    "results": lambda score: repr(
        Results(
            settings=Settings(), summary=Summary(), shown=(Result(case=Case(id="a"), score=score),)
        )
    ),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", SECRETS)
def test_a_score_shows_no_secret(kind: str, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = SECRETS[kind]
    monkeypatch.setenv("CRM_API_KEY", secret)

    shown = WAYS[way](a_score(secret))

    written = (secret, repr(secret)[1:-1], secret.encode("unicode_escape").decode())
    assert not [text for text in written if text in shown]
    assert "[hidden " in shown


def test_plain_data_and_attributes_have_the_real_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRM_API_KEY", "crm-9f8e7d6c5b4a")
    score = a_score("crm-9f8e7d6c5b4a")

    assert score.expected[0].arguments == {"k": "crm-9f8e7d6c5b4a", "n": 1}
    assert score.to_dict()["missed"][0]["arguments"] == {"k": "crm-9f8e7d6c5b4a"}
    assert score.incorrect[0].differences[0].expected == "crm-9f8e7d6c5b4a"


def test_without_a_secret_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    before = str(a_score("Oslo")), repr(a_score("Oslo")), a_score("Oslo").explain()
    monkeypatch.setenv("CRM_API_KEY", "crm-9f8e7d6c5b4a")

    assert (str(a_score("Oslo")), repr(a_score("Oslo")), a_score("Oslo").explain()) == before


def test_a_run_shows_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRM_API_KEY", "crm-9f8e7d6c5b4a")
    run = RunResults(
        unloaded=(Unloaded("eval.py", "no crm-9f8e7d6c5b4a"),),
        evaluations=(
            EvaluationResults(
                name="crm-9f8e7d6c5b4a",
                place="",
                results=Results(settings=Settings(), summary=Summary()),
            ),
        ),
    )

    assert "crm-9f8e7d6c5b4a" not in str(run) + repr(run)
    assert "[hidden " in str(run)


def test_texts_that_differ_only_in_what_is_hidden_are_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "callscore.toml").write_text('redact.builtin = ["email"]')
    monkeypatch.chdir(tmp_path)
    body = "Dear customer, please write to {} if you have further questions on your order. Kind regards"
    sides = [[("send", {"body": body.format(name)})] for name in ("a@b.example", "b@b.example")]

    shown = str(callscore.score(*sides))

    assert "Kind regards" in shown
    assert "b.example" not in shown
