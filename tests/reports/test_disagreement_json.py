"""Where metrics disagree, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from callscore.reports.disagreement import write_json

if TYPE_CHECKING:
    from callscore.core.results import Results
    from callscore.metrics.disagreement import Disagreements


def test_the_document_has_everything(disagreements: Disagreements, results: Results) -> None:
    document = msgspec.json.decode(write_json(disagreements, results))

    (case,) = document["disagreements"]
    assert (document["cases"], document["agreed"], document["not_shown"]) == (4, 2, 1)
    assert document["faults"] == {"extra": 3, "arguments": 1}
    assert document["metrics"][1] == {
        "name": "x.named",
        "version": None,
        "mean": 1.0,
        "scored": 3,
        "not_scorable": {"count": 1, "names": ["nothing is expected."]},
        "faults": {
            "extra": {"cases": 2, "blind": 2, "masked": 0},
            "arguments": {"cases": 1, "blind": 1, "masked": 0},
        },
    }
    assert (case["id"], case["trial"], case["faults"]) == ("both", 0, ["extra", "arguments"])
    assert case["opinions"][2] == {
        "name": "x.same",
        "value": 0.0,
        "reason": None,
        "effects": [
            {"kind": "extra", "sight": "masked", "gain": 0.0},
            {"kind": "arguments", "sight": "masked", "gain": 0.0},
        ],
        "together": 1.0,
        "needed": ["extra", "arguments"],
        "perfect": 1.0,
    }
    assert case["expected"] == [{"name": "f", "arguments": {"a": 1}}]
    assert document["not_scored"] == {"count": 1, "names": ["draft"]}


def test_the_language_changes_nothing(disagreements: Disagreements, results: Results) -> None:
    assert write_json(disagreements, results, lang="ru") == write_json(disagreements, results)
