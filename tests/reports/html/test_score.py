"""The report of scored cases as an HTML file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.reports.opened_html import OpenedReport, open_html

from callscore import score_cases
from callscore.core.results import Noted
from callscore.core.settings import DEFAULT, Settings
from callscore.reports.html.document import Heading, NextStep
from callscore.reports.html.score import html_parts

if TYPE_CHECKING:
    from callscore.core.phrases import Language
    from callscore.core.results import Results


def opened(results: Results, lang: Language = "en", heading: Heading | None = None) -> OpenedReport:
    return open_html(b"".join(html_parts(results, lang=lang, heading=heading)))


def test_the_document_has_the_numbers_of_the_results(results: Results) -> None:
    document = opened(results).document

    summary = results.summary
    assert document["headline"]["value"] == summary.macro_f1
    assert document["calls"]["extra"] == summary.extra
    assert document["counts"]["trials"] == summary.cases
    assert document["counts"]["passed"] == summary.passed
    assert [tool["tool"] for tool in document["tools"]][-1] in summary.tools


def test_the_confusion_matrix_has_the_pairs_on_its_diagonal(results: Results) -> None:
    confusion = opened(results).document["confusion"]

    cells = {(each["expected"], each["called"]): each["count"] for each in confusion}
    assert cells["searchWeb", "searchWeb"] == 2
    assert cells["summarize", "summarize"] == 1
    assert cells[None, "translateText"] == 1


def test_the_verdict_counts_trials_and_says_whether_all_passed(results: Results) -> None:
    verdict = opened(results).document["verdict"]

    assert verdict["status"] == "bad"
    assert verdict["text"].startswith("1 of 2 trials") or "failed" in verdict["text"]


def test_a_required_mean_decides_the_verdict(results: Results) -> None:
    reached = opened(replace(results, fail_under=0.1)).document["verdict"]
    below = opened(replace(results, fail_under=0.9)).document["verdict"]

    assert reached["status"] == "good"
    assert below["status"] == "bad"
    assert "below the required 90.0%" in below["details"][0]


def test_without_cases_nothing_is_claimed(nothing: Results) -> None:
    report = opened(nothing)

    assert report.document["verdict"] == {
        "status": "neutral",
        "text": "No case was scored",
        "details": [],
    }
    assert report.index["count"] == 0


def test_the_next_step_explains_the_worst_case(results: Results) -> None:
    heading = Heading(
        title="cases.jsonl",
        case_command="callscore explain cases.jsonl --case",
        next=(NextStep("callscore view", "look"),),
    )

    document = opened(results, heading=heading).document

    commands = [step["command"] for step in document["next"]]
    assert commands == ["callscore explain cases.jsonl --case news --trial 0", "callscore view"]
    assert document["title"] == "cases.jsonl"


def test_what_was_not_scored_is_noted(results: Results) -> None:
    stopped = replace(results, stopped=Noted(1, ("cases.jsonl:3: not JSON",)))

    notes = opened(stopped).document["notes"]

    assert notes[0]["is_warning"]
    assert any("not scored" in note["text"] for note in notes)


def test_the_report_is_in_russian_if_asked(results: Results) -> None:
    document = opened(results, "ru").document

    assert document["lang"] == "ru"
    assert document["verdict"]["text"].startswith("Не пройдено")
    assert document["words"]["text.hidden"] == "невидимый символ"


def test_readers_without_scripts_see_the_verdict_and_the_tools(results: Results) -> None:
    text = b"".join(html_parts(results)).decode()
    summary = text[text.index("<noscript>") : text.index("</noscript>")]

    assert "failed" in summary
    assert "translateText" in summary


def test_precision_is_left_out_where_it_says_nothing() -> None:
    cases = [{"id": "a", "expected": [{"name": "f", "arguments": {"n": 1}}], "actual": ["f"]}] * 2

    for settings, has_precision in ((DEFAULT, True), (Settings(extra_calls="free"), False)):
        report = opened(score_cases(cases, settings=settings))
        facts = [fact["label"] for fact in report.document["facts"]]
        assert ("Precision" in facts, "Recall" in facts) == (has_precision, True)


@pytest.mark.parametrize(
    ("actual", "english", "russian"),
    [("f", "The case passed", "Случай пройден"), ("g", "The case failed", "Случай не пройден")],
)
def test_the_verdict_on_one_case_counts_nothing(actual: str, english: str, russian: str) -> None:
    found = score_cases([{"expected": ["f"], "actual": [actual]}])

    assert opened(found).document["verdict"]["text"] == english
    assert opened(found, "ru").document["verdict"]["text"] == russian
