"""The phrases, JSON, Markdown and TOML of advised settings."""

from __future__ import annotations

import tomllib
from functools import cache, partial
from typing import TYPE_CHECKING

import msgspec
import pytest
from msgspec.structs import replace
from tests.advising.planted import BASE, case_records, labelled

from callscore import Advice, Score, score
from callscore.advising.advice import KeptRules, advise_on
from callscore.core.results import Noted
from callscore.reports.advise import (
    change_label,
    evidence_lines,
    first_reason,
    toml_lines,
    write_json,
    write_markdown,
)
from callscore.reports.advise_terminal import render
from callscore.reports.terminal import printed_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from callscore.core.phrases import Language


@cache
def advice_of(kind: str) -> Advice:
    """The advice for runs whose labels follow a known rule."""
    return advise_on(labelled(case_records(kind)), BASE)


def test_json_has_the_evidence_in_numbers() -> None:
    advice = advice_of("argument")

    document = msgspec.json.decode(write_json(advice))

    assert document == msgspec.json.decode(msgspec.json.encode(advice.to_dict()))
    assert document["recommended"]["settings"] == {
        "preset": "strict",
        "arguments": {"save.note": "ignore"},
    }
    assert document["learned"][0]["name"] == "save.note"
    assert len(document["presets"]) == 4
    assert write_json(advice, lang="ru") == write_json(advice)


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_markdown_has_every_section(lang: str) -> None:
    text = write_markdown(advice_of("read"), lang=lang, max_shown=2)  # type: ignore[arg-type]

    assert text.count("\n### ") >= 3
    assert "```toml\npreset = " in text
    assert "`consult`" in text


def test_toml_has_tables_after_single_values() -> None:
    options = {
        "preset": "coverage",
        "order": "any",
        "effects": {"a b": "read", "*": "write"},
        "arguments": {"save.note": "ignore", 'x."q"\x7f': "ignore"},
    }

    assert tomllib.loads("\n".join(toml_lines(options))) == options


def test_the_evidence_fits_a_comment() -> None:
    lines = evidence_lines(advice_of("argument"))

    assert lines[0] == "120 runs, 40 tasks, 60 succeeded" or lines[0].startswith("120 runs")
    assert any("save.note does not matter" in line for line in lines)
    assert all("\n" not in line for line in lines)


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (score([("f", {"a": 1})], [("f", {"a": 2})]), "f: a: expected 1, got 2"),
        (score(["f"], []), "missed f"),
        (score([], ["g"]), "extra g"),
        (score([("f", {})], [("f", {})]), "every call that counts is as expected"),
        (score([], []), "no call counts"),
        (
            score(["get_x"], ["get_x"], preset="outcome"),
            "no call counts; 1 expected call not counted: 1 read; 1 actual call not counted: 1 read",
        ),
        (score([{"forbid": "g"}], '["g"]'), "forbidden g"),
    ],
)
def test_the_first_reason_is_one_sentence(found: Score, reason: str) -> None:
    assert first_reason(found, "en").startswith(reason)


def test_an_alternative_is_named_by_what_differs() -> None:
    advice = advice_of("read")

    labels = [change_label(each, advice) for each in advice.alternatives]

    assert all(labels)
    assert len({*labels}) == len(labels)


@pytest.mark.parametrize("write", [write_markdown, partial(printed_text, render)])
def test_that_no_single_setting_changes_a_score_is_said(write: Callable[..., str]) -> None:
    advice = advice_of("argument")

    without = write(replace(advice, alternatives=()))

    assert "The recommended settings with one change" in without
    assert "No other value of a single setting changes any score." in without
    assert "No other value" not in write(advice)


def test_an_area_of_one_is_not_certainty() -> None:
    advice = advice_of("argument")
    assert advice.recommended.auc == 1.0

    less = replace(advice, recommended=replace(advice.recommended, auc=0.99))

    assert any("no failure scored as high" in line for line in evidence_lines(advice))
    assert not any("no failure scored as high" in line for line in evidence_lines(less))


def test_rules_that_were_passed_are_named_without_an_option() -> None:
    advice = replace(advice_of("plain"), kept=KeptRules(effects={"look_*": "read"}))

    for lang, words in (
        ("en", "kept from the settings: effects look_*"),
        ("ru", "(настройки): effects look_*"),
    ):
        text = write_markdown(advice, lang=lang)  # type: ignore[arg-type]  # a language
        assert words in text.replace("`", "")
        assert "--no-config" not in text


def test_that_all_other_tools_go_on_counting_is_said() -> None:
    assert any(
        "calls of tools without a rule" in line for line in evidence_lines(advice_of("read"))
    )
    assert not any("tools without a rule" in line for line in evidence_lines(advice_of("argument")))


@cache
def advice_with_suspects() -> Advice:
    """The advice for runs with references that successful runs contradict, and without labels."""
    records = case_records("plain")
    for record in records[:36]:
        record["success"] = True
        record["actual"] = [{"name": "store", "arguments": {"key": record["id"]}}]
    found = labelled(records)
    noted = Noted(2, ("a", "b"))
    return advise_on(replace(found, unlabelled=noted, unread=Noted(1, ("x: it",))), BASE)


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_suspects_and_notes_are_in_every_report(lang: Language) -> None:
    advice = advice_with_suspects()
    assert len(advice.suspects) == 12

    page = write_markdown(advice, lang=lang, max_shown=10)
    text = printed_text(render, advice, lang=lang)
    document = msgspec.json.decode(write_json(advice))

    for written in (page, text):
        assert written.count("store(key=") == 10
        assert "2 runs without a label" in written or lang == "ru"
    assert len(document["suspects"]) == 12
    assert document["suspects"][0]["proposed"][0].keys() == {"one_of"}
    assert document["unlabelled"] == {"count": 2, "names": ["a", "b"]}
    more = {"en": "2 cases not shown", "ru": "не показано: 2 случая"}
    assert more[lang] in text
