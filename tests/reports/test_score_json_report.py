from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from callscore.reports.score import write_json
from callscore.words.plain_data import results_to_dict

if TYPE_CHECKING:
    from callscore.core.results import Results


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
