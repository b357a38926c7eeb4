"""Sessions of Spark that cannot score paths; Spark itself is tested in `tests/cluster`."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from types import SimpleNamespace

import pytest

from callscore.engines.spark import _SPARK
from callscore.errors import InvalidSettings


def test_a_session_of_spark_connect_cannot_score_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    session = SimpleNamespace(getActiveSession=object)
    monkeypatch.setitem(sys.modules, "pyspark", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "pyspark.sql", SimpleNamespace(SparkSession=session))

    with ExitStack() as ends, pytest.raises(InvalidSettings, match=r"engines\.spark\.score"):
        _SPARK.connect(None, ends)
