"""Callscore's own score, as if it were another tool's."""

from __future__ import annotations

import callscore
from callscore import score
from callscore.core.call import ToolCall
from callscore.core.case import Forbidden
from callscore.core.rules import Matcher
from callscore.metrics.callscore_f1 import f1
from callscore.metrics.registry import metric_named

F, G = ToolCall("f", {"a": 1}), ToolCall("g", {})


def test_it_knows_rules_and_groups() -> None:
    rule = ToolCall("f", {"a": Matcher("$gt", 0)})

    assert metric_named("callscore.f1").of([rule, Forbidden("g")], [F]) == 1.0
    assert metric_named("callscore.f1").of([rule, Forbidden("g")], [F, G]) == 0.0


def test_its_version_is_the_one_that_is_installed() -> None:
    assert metric_named("callscore.f1").version == callscore.__version__


def test_it_is_the_f1_of_a_score() -> None:
    assert f1([F, G], [G, G, F]) == score([F, G], [G, G, F]).f1 == 0.8
