"""Scored traces in a history of their own, and the program that uploads them."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["callscore", "save_run"]


def callscore(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """What the program does in a folder, with these variables and without those of the user."""
    ours = ("OTEL_", "LANGFUSE_", "LANGSMITH_", "LANGCHAIN_", "MLFLOW_", "PHOENIX_")
    known = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return subprocess.run(
        [sys.executable, "-m", "callscore", *arguments],
        cwd=folder,
        env={**known, **variables},
        check=False,
        capture_output=True,
        encoding="utf-8",
    )


def save_run(folder: Path, trace: Any) -> None:
    """Score a trace of one call for the weather in Paris, where that in Rome is expected, and save it."""
    lines = trace if isinstance(trace, list) else [trace]
    text = b"\n".join(map(msgspec.json.encode, lines))
    (folder / "rome.jsonl").write_bytes(text + b"\n")
    call = {"name": "get_weather", "arguments": {"city": "Rome"}}
    case = {"id": "rome", "expected": [call]}
    (folder / "cases.json").write_bytes(msgspec.json.encode([case]))
    files = ["--expected", "cases.json", "--actual", "rome.jsonl", "--id-from", "filename"]
    done = callscore(folder, "score", *files, "--save", "night")
    assert "saved as run" in done.stderr, done.stderr
