"""What a run gave, as JSON."""

from __future__ import annotations

import msgspec
from tests.reports.runs import ATTACKED, MIXED

from callscore.reports.run import write_json
from callscore.words.plain_data import run_to_dict


def test_the_report_is_the_run_as_plain_data() -> None:
    text = write_json(MIXED)

    assert msgspec.json.decode(text) == run_to_dict(MIXED)
    assert text.startswith('{\n  "id": "20261115-184354-k3f9",\n')
    assert text.endswith("}\n")


def test_keys_do_not_change_with_the_language_and_sentences_do() -> None:
    english, russian = (
        msgspec.json.decode(write_json(MIXED)),
        msgspec.json.decode(write_json(MIXED, lang="ru")),
    )

    assert english.keys() == russian.keys()
    assert english["evaluations"][0]["cases"][0]["rating"] == "Poor"
    assert russian["evaluations"][0]["cases"][0]["rating"] == "Плохо"


def test_whatever_stands_in_the_data_the_document_is_json() -> None:
    assert msgspec.json.decode(write_json(ATTACKED)) == run_to_dict(ATTACKED)
