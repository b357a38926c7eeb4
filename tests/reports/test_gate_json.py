"""What a gate says, as JSON."""

from __future__ import annotations

from typing import Any

import msgspec
from tests.reports.comparisons import ATTACKED_GATE, CLOSED, OPEN, REGRESSED

from callscore.reports.gate import write_json


def test_the_document_has_the_reasons_the_comparison_and_what_to_type_next() -> None:
    document = msgspec.json.decode(
        write_json(CLOSED, next_command="callscore"), type=dict[str, Any]
    )

    assert not document["is_open"]
    assert document["next"] == "callscore"
    assert [reason["kind"] for reason in document["reasons"]][:2] == ["regressed", "broken"]
    assert document["comparison"] == REGRESSED.to_dict()


def test_an_open_gate_has_no_reasons() -> None:
    document = msgspec.json.decode(write_json(OPEN, next_command=""), type=dict[str, Any])

    assert (document["is_open"], document["reasons"]) == (True, [])


def test_sentences_are_in_the_language() -> None:
    document = msgspec.json.decode(
        write_json(ATTACKED_GATE, next_command="", lang="ru"), type=dict[str, Any]
    )

    assert document["comparison"]["notes"][0].endswith(" странен")
