"""What score_paths does about sessions: it uses one that is there, or starts one.

That it starts one quietly and ends it is seen in the examples of test_page.py, which print nothing else.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from tests.cluster.conftest import ENGINES

from callscore.engines.batches import RowOptions
from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from pathlib import Path

_SCRIPT = """
import sys
from importlib import import_module

import callscore
from callscore.engines.batches import RowOptions

engine = import_module(f"callscore.engines.{sys.argv[1]}")
try:
    run = engine.score_paths(sys.argv[2:3], RowOptions(), cluster=(sys.argv[3:] or [None])[0])
except callscore.CallscoreError as error:
    sys.exit(f"{type(error).__name__}: {error}")
print(run.results)
run.close()
"""
_LINES = """\
{"id": "a", "expected": [{"name": "find"}], "actual": [{"name": "find"}]}
{"id": "b", "expected": [{"name": "find"}], "actual": []}
"""


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A file of two cases."""
    (tmp_path / "cases.jsonl").write_text(_LINES)
    return str(tmp_path / "cases.jsonl")


def _run(*arguments: str, **environment: str) -> tuple[int, str, str]:
    ran = subprocess.run(
        [sys.executable, "-c", _SCRIPT, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return ran.returncode, ran.stdout, ran.stderr


def test_a_session_that_is_there_is_used_and_not_ended(engine: Any, path: str) -> None:
    for _ in range(2):
        run = engine.score_paths([path], RowOptions())
        run.close()

        assert run.results.summary.cases == 2


def test_another_cluster_than_that_of_the_session_is_refused(engine: Any, path: str) -> None:
    with pytest.raises(InvalidSettings, match="do not specify a cluster"):
        engine.score_paths([path], RowOptions(), cluster="spark://elsewhere:7077")


@pytest.mark.parametrize("name", ENGINES)
def test_a_cluster_that_does_not_answer_is_named_at_once(name: str, path: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and nothing listens
        address = f"{name}://127.0.0.1:{taken.getsockname()[1]}"

        code, _, errors = _run(name, path, address)

    assert code == 1
    assert f"{address} cannot be used (Connection refused)" in errors


@pytest.mark.skipif("spark" not in ENGINES, reason="needs Spark")
def test_spark_without_java_says_what_to_install(path: str) -> None:
    code, _, errors = _run("spark", path, JAVA_HOME="/nowhere")

    assert code == 1
    assert errors.startswith(
        "EngineFailed: Spark: JAVA_HOME is /nowhere, which has no Java. Install"
    )


@pytest.mark.skipif("spark" not in ENGINES, reason="needs Spark")
def test_workers_without_callscore_say_what_to_install(path: str, tmp_path: Path) -> None:
    bare = tmp_path / "python"  # it finds no installed packages
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    bare.chmod(0o755)

    code, _, errors = _run("spark", path, "local[1]", PYSPARK_PYTHON=str(bare))

    assert code == 1
    assert "EngineFailed: Spark: 'callscore' is not installed where Spark runs" in errors
    assert "pip install 'callscore[spark]'" in errors
