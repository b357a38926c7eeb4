from __future__ import annotations

import sys

import pytest

from callscore.engines import ray
from callscore.engines.batches import row_options
from callscore.errors import MissingExtra


@pytest.mark.parametrize(
    "call",
    [
        lambda: ray.score(None),
        lambda: ray.results(None),
        lambda: next(ray.failing(None)),
        lambda: ray.score_paths(["a.jsonl"], row_options()),
    ],
    ids=["score", "results", "failing", "score_paths"],
)
def test_a_missing_library_names_the_extra(call: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)

    with pytest.raises(MissingExtra, match=r"Scoring on Ray needs an extra.*callscore\[ray\]"):
        call()  # type: ignore[operator]  # one of those above
