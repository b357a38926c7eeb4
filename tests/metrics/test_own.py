"""Callscore's own score, as if it were another tool's."""

from __future__ import annotations

from callscore import score
from callscore.core.call import ToolCall
from callscore.metrics.own import f1

F, G = ToolCall("f", {"a": 1}), ToolCall("g", {})


def test_it_is_the_f1_of_a_score() -> None:
    assert f1([F, G], [G, G, F]) == score([F, G], [G, G, F]).f1 == 0.8
