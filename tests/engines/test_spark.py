from __future__ import annotations

import sys

import pytest

from callscore.engines import spark
from callscore.engines.batches import row_options
from callscore.errors import MissingExtra


@pytest.mark.parametrize(
    "call",
    [
        lambda: spark.score(None),
        lambda: spark.results(None),
        lambda: next(spark.failing(None)),
        lambda: spark.score_paths(["a.jsonl"], row_options()),
    ],
    ids=["score", "results", "failing", "score_paths"],
)
def test_a_missing_library_names_the_extra(call: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)

    with pytest.raises(MissingExtra, match=r"Scoring on Spark needs an extra.*callscore\[spark\]"):
        call()  # type: ignore[operator]  # one of those above
