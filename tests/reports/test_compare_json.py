"""Two runs compared, as JSON."""

from __future__ import annotations

from typing import Any

import msgspec
from tests.reports.comparisons import ATTACKED, HOSTILE, REGRESSED

from callscore.reports.compare import write_json


def test_the_document_has_everything_whatever_is_shown_elsewhere() -> None:
    document = msgspec.json.decode(write_json(REGRESSED, most=0), type=dict[str, Any])

    assert document == REGRESSED.to_dict()
    assert len(document["changes"]) == 5


def test_sentences_are_in_the_language_and_keys_are_not() -> None:
    document = msgspec.json.decode(write_json(REGRESSED, lang="ru"), type=dict[str, Any])

    assert document["verdict"] == "regressed"
    assert document["notes"] == ["попытки без ответа (2) не пройдены"]


def test_names_are_as_they_are() -> None:
    document = msgspec.json.decode(write_json(ATTACKED), type=dict[str, Any])

    assert document["changes"][1]["case"] == HOSTILE
