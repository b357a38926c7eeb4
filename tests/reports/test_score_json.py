"""The report of scored cases as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from msgspec.structs import replace

from callscore.core.call import ToolCall
from callscore.core.results import CaseScore
from callscore.core.scoring import score_calls
from callscore.core.settings import DEFAULT, Settings
from callscore.reports.score_json import CASE_FORMAT, jsonl_line, write_json
from callscore.words.case_json import settings_to_json
from callscore.words.plain_data import case_to_dict, results_to_dict
from callscore.words.value_text import json_document

if TYPE_CHECKING:
    from callscore.core.results import Results
    from callscore.core.score import Score


def test_the_document_holds_everything(results: Results) -> None:
    assert msgspec.json.decode(write_json(results)) == results_to_dict(results)


def test_the_document_is_indented_and_ends_with_a_line_break(nothing: Results) -> None:
    text = write_json(nothing)

    assert text.startswith('{\n  "totals": {\n    "cases": 0,')
    assert text.endswith("}\n")


def test_the_sentences_can_be_had_in_russian(results: Results) -> None:
    case = msgspec.json.decode(write_json(results, lang="ru"))["cases"][0]

    assert case["rating"] == "Плохо"
    assert case["score"] == 0.4


def test_hostile_text_survives_as_data(hostile: Results) -> None:
    document = msgspec.json.decode(write_json(hostile))

    assert document["cases"][0]["id"] == hostile.cases[0].id


def test_a_case_is_one_line(failing: Score) -> None:
    case = CaseScore(id="two\nlines", trial=1, score=failing)

    line = jsonl_line(case)

    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert msgspec.json.decode(line) == case_to_dict(case)


def test_a_line_of_json_can_be_had_in_russian(failing: Score) -> None:
    line = jsonl_line(CaseScore(id="a", score=failing), lang="ru")

    assert msgspec.json.decode(line)["rating"] == "Плохо"


def test_integers_beyond_64_bits_keep_all_their_digits() -> None:
    score = score_calls((), (ToolCall("f", {"n": 10**30}),), Settings())

    assert b'"n":1000000000000000000000000000000}' in jsonl_line(CaseScore(id="a", score=score))


@pytest.mark.parametrize("settings", [DEFAULT, Settings(mode="flexible"), Settings(pass_mark=0.5)])
def test_a_case_is_indented_as_in_a_document(failing: Score, settings: Settings) -> None:
    case = CaseScore(id="a", score=replace(failing, settings=settings))
    document = json_document([[case_to_dict(case)]]).encode()

    assert CASE_FORMAT.case(case, "en") == document[len("[\n  [") : -len("\n  ]\n]\n")]


def test_settings_of_a_case_can_be_in_its_calls() -> None:
    settings = settings_to_json(DEFAULT).decode()
    call = ToolCall("f", {"settings": f',"settings":{settings}}}'})
    case = CaseScore(id="a", score=score_calls((call,), (), DEFAULT))

    assert msgspec.json.decode(CASE_FORMAT.case(case, "en")) == case_to_dict(case)
