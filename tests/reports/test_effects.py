"""The report of the effects of tools."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from callscore.checks.effects import EffectEvidence, EffectsFound, ToolEffect
from callscore.core.results import Noted
from callscore.reports.effects import (
    effect_notes,
    evidence_text,
    headline,
    kind_text,
    write_markdown,
)
from callscore.reports.effects_terminal import render
from callscore.reports.terminal import PlainPage

UNKNOWN = ToolEffect(name="ship", effect="write", decided_by="unknown")
NAMED = ToolEffect(
    name="get_x",
    effect="read",
    decided_by="name",
    evidence=(EffectEvidence("name", "read", "get_*", "high"),),
    proposed="read",
)
LOW = EffectEvidence("results", "write", "created", "low", 1, 4)


def test_a_kind_that_is_only_proposed_has_a_question_mark() -> None:
    proposed = ToolEffect(name="f", effect="write", decided_by="unknown", proposed="read")

    assert [kind_text(tool, "en") for tool in (NAMED, proposed, UNKNOWN)] == [
        "read",
        "read?",
        "unknown",
    ]
    assert kind_text(proposed, "ru") == "чтение?"


def test_contradictory_evidence_says_what_each_says() -> None:
    tool = ToolEffect(
        name="get_x",
        effect="read",
        decided_by="name",
        evidence=(*NAMED.evidence, LOW),
        is_contradictory=True,
    )

    assert evidence_text(tool, "en") == 'name: get_* (read), 1 of 4 results: "created" (write)'
    assert (
        evidence_text(tool, "ru") == "имя: get_* (чтение), результаты, 1 из 4: «created» (запись)"
    )


def test_evidence_that_is_not_clear_is_noted_as_open() -> None:
    tool = ToolEffect(name="f", effect="write", decided_by="unknown", evidence=(LOW,))

    ((sentence, names),) = effect_notes(EffectsFound(files=1, traces=1, tools=(tool,)), "en")

    assert sentence.startswith("1 tool without clear evidence")
    assert names == "f"


def test_a_tool_with_a_proposal_is_not_counted_as_unknown() -> None:
    proposed = ToolEffect(name="f", effect="write", decided_by="unknown", proposed="write")

    _, kinds = headline(EffectsFound(files=1, traces=1, tools=(NAMED, proposed, UNKNOWN)), "en")

    assert kinds == "3 tools: 1 read, 0 write, 1 unknown, 1 with a proposal (?)"


def test_that_the_pattern_for_all_tools_decides_is_noted_until_it_does_not() -> None:
    caught = ToolEffect(name="get_f", effect="write", decided_by="setting", is_caught=True)
    known = ToolEffect(
        name="g", effect="write", decided_by="setting", is_caught=True, proposed="read"
    )
    found = EffectsFound(files=1, traces=1, tools=(caught, known))

    ((sentence, names),) = effect_notes(found, "en")
    after = effect_notes(replace(found, file="a.toml", written={"g": "read"}), "en")

    assert sentence.startswith("2 tools for which only the setting '*' decides")
    assert names == "get_f, g"
    assert [names for _, names in after] == ["get_f", ""]


@pytest.mark.parametrize(
    ("written", "note"),
    [({"f": "read"}, "1 tool written to a.toml"), ({}, "nothing to write to a.toml")],
)
def test_what_was_written_is_noted(written: dict[str, str], note: str) -> None:
    found = EffectsFound(files=1, traces=1, file="a.toml", written=written)  # type: ignore[arg-type]  # effects

    assert effect_notes(found, "en")[0][0].startswith(note)


def test_what_was_skipped_or_not_read_is_noted() -> None:
    found = EffectsFound(
        files=1, traces=1, skipped=Noted(1, ("a.jsonl:2: not JSON",)), unread=Noted(1, ("a:3: x",))
    )

    assert [names for _, names in effect_notes(found, "en")] == ["a.jsonl:2: not JSON", "a:3: x"]


@pytest.mark.parametrize("width", [40, 80, 100, 140])
@pytest.mark.parametrize("lang", ["en", "ru"])
def test_the_table_fits_every_width(width: int, lang: str) -> None:
    long = ToolEffect(name="x" * 200, effect="write", decided_by="unknown", calls=1_000_000)
    page = PlainPage(width)

    render(EffectsFound(files=1, traces=1, tools=(long, NAMED)), console=page, lang=lang)  # type: ignore[arg-type]  # a language

    assert max(map(len, page.text.splitlines())) <= width
    assert "get_*" in page.text


def test_hostile_texts_stay_text() -> None:
    evil = "|\x1b[31m<script>\n# x"
    evidence = EffectEvidence("description", "read", evil, "high")
    tool = ToolEffect(name=evil, effect="write", decided_by="unknown", evidence=(evidence,))
    found = EffectsFound(files=1, traces=1, tools=(tool,))
    page = PlainPage(80)

    render(found, console=page)
    texts = (page.text, write_markdown(found))

    assert all("\x1b" not in text and "\n# x" not in text for text in texts)
    rows = [line for line in texts[1].splitlines() if line.endswith(" |")]
    assert len(rows) == 3  # with the header


def test_nothing_found_is_a_report_too() -> None:
    page = PlainPage(80)

    render(EffectsFound(files=1, traces=0), console=page)

    assert page.text == "0 tools: 0 read, 0 write, 0 unknown\n1 file, 0 traces, 0 calls\n"
