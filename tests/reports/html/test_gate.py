"""The report of a gate as an HTML file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from msgspec.structs import replace
from tests.reports.comparisons import (
    ATTACKED_GATE,
    CLOSED,
    DOUBTFUL,
    EMPTY,
    HOSTILE,
    IN_DOUBT,
    OPEN,
    SLICED,
)
from tests.reports.opened_html import open_html

from callscore.reports.html.compare import ComparedRuns
from callscore.reports.html.compared_trials import TrialWriter
from callscore.reports.html.document import document_json
from callscore.reports.html.gate import gate_document, html_parts

if TYPE_CHECKING:
    from callscore.comparing.gating import Gate
    from callscore.core.phrases import Language


def runs_of(gate: Gate, lang: Language = "en") -> ComparedRuns:
    return ComparedRuns(comparison=gate.comparison, pairs=(), after=TrialWriter(lang))


def document(
    gate: Gate, lang: Language = "en", command: str = "callscore compare main latest"
) -> dict[str, Any]:
    found = gate_document(gate, runs_of(gate, lang), command, lang)
    data: dict[str, Any] = msgspec.json.decode(document_json(found, lang))
    return data


def test_a_closed_gate_says_why() -> None:
    found = document(CLOSED)

    assert (found["kind"], found["verdict"]["status"]) == ("gate", "bad")
    assert found["verdict"]["text"] == "Gate failed: regressed, main → latest"
    assert found["gate"] == {
        "passed": False,
        "reasons": [
            (
                "regressed: passed 92.0% → 84.0%, −8.0 points"
                " (95% interval −12.5 to −3.5, p = 0.002, exact McNemar, 197 cases in both)"
            ),
            (
                "3 cases broken (assistant::what-is-the-weather-in-oslo,"
                " assistant::refund-order-17, router [small]::hello)"
            ),
            "1 case changed (assistant::convert-5-miles-to-km)",
            "3 cases are missing (a, b, c)",
            "1 case with a new forbidden call (assistant::refund-order-17)",
            "1 case with a new schema error (assistant::refund-order-17)",
        ],
    }


def test_an_open_gate_has_no_reasons_and_the_numbers_of_the_comparison() -> None:
    found = document(OPEN)

    assert found["verdict"]["status"] == "good"
    assert found["verdict"]["text"] == "Gate passed: no evidence, main → main"
    assert found["verdict"]["details"][0] == "passed 92.0% → 92.0%, 0.0 points"
    assert found["gate"] == {"passed": True, "reasons": []}
    assert found["comparison"]["main"]["cases"] == 200


def test_a_loss_that_is_too_small_to_close_the_gate_is_mentioned_first() -> None:
    found = document(DOUBTFUL)

    assert found["gate"]["passed"] is True
    assert found["verdict"]["details"][0].startswith(
        "too few cases for a verdict: 1 worse, 0 better"
    )


def test_what_the_reasons_say_is_not_repeated_as_a_note() -> None:
    texts = [note["text"] for note in document(IN_DOUBT)["notes"]]

    assert not any("required ≥" in text for text in texts)  # it is a reason
    assert "3 cases only before, in main" not in [
        note["text"] for note in document(CLOSED)["notes"]
    ]


def test_missing_cases_come_with_the_lines_that_remove_them_on_purpose() -> None:
    gate = replace(CLOSED, comparison=replace(CLOSED.comparison, missing=("assistant::a", "b")))

    note = document(gate)["notes"][-1]

    assert note["text"] == "If this was on purpose, give the reason in callscore.toml:"
    assert note["names"] == [
        "[gate.removed]",
        '"assistant::a" = "why it was removed"',
        '"b" = "why it was removed"',
    ]
    assert document(replace(gate, is_partial=True))["notes"][-1] != note


@pytest.mark.parametrize(
    ("gate", "command", "why"),
    [
        (CLOSED, "callscore show 2026 oslo", "See what closed the gate"),
        (DOUBTFUL, "callscore show 2026 oslo", "See the case in full"),
        (OPEN, "callscore baseline set 2026 --name main", "Make this run the baseline"),
        (EMPTY, "callscore run", "Run the evaluations again"),
        (SLICED, "callscore compare main latest", "Compare the two runs"),
    ],
)
def test_the_next_command_is_that_of_the_other_formats(gate: Gate, command: str, why: str) -> None:
    assert document(gate, command=command)["next"] == [{"command": command, "why": why}]


def test_nothing_compared_is_said_once() -> None:
    found = document(EMPTY)

    assert found["gate"]["reasons"] == ["the runs have no cases in common"]
    assert found["verdict"]["details"] == []


def test_russian_is_as_complete_as_english() -> None:
    found = document(CLOSED, "ru", "callscore show 2026 oslo")

    assert found["verdict"]["text"] == "Гейт не пройден: стало хуже, main → latest"
    assert found["gate"]["reasons"][2] == "1 случай изменился (assistant::convert-5-miles-to-km)"
    assert found["next"][0]["why"] == "Посмотреть, из-за чего гейт не пройден"


def test_hostile_names_are_data_and_secrets_are_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "sk-1234567890abcdef"  # noqa: S105  (made up)
    monkeypatch.setenv("SERVICE_API_KEY", secret)
    comparison = replace(
        ATTACKED_GATE.comparison,
        before=replace(ATTACKED_GATE.comparison.before, label=f"{HOSTILE}{secret}"),
    )
    gate = replace(ATTACKED_GATE, comparison=comparison)

    file = b"".join(
        html_parts(gate, runs_of(gate), [], next_command=f"callscore compare {secret} latest")
    )

    report = open_html(file)
    assert secret.encode() not in file
    assert report.document["title"].startswith(f"{HOSTILE}[hidden ")
    assert "[hidden " in report.document["next"][0]["command"]
    [note] = [each for each in report.document["notes"] if "[hidden …]" in each["text"]]
    assert "SERVICE_API_KEY" in note["text"]
    assert report.index["count"] == 0
