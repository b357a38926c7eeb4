"""Scored traces in a history of their own, and the program that uploads them."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import msgspec
from tests.servers.recording_server import RecordingServer, Reply, record_requests

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["REDIRECTS", "callscore", "redirecting", "save_run"]

# 302 turns a request that sends into one that reads; 307 and 308 send it again as it is.
REDIRECTS = (301, 302, 303, 307, 308)


@contextmanager
def redirecting(status: int, *paths: str) -> Iterator[tuple[RecordingServer, RecordingServer]]:
    """A server that redirects these paths to a second server, which would take everything."""
    taken = Reply(200, b"{}")
    with record_requests(dict.fromkeys(paths, taken)) as other:
        replies = {
            path: Reply(status, b"", "text/plain", (("location", f"{other.url}{path}"),))
            for path in paths
        }
        with record_requests(replies) as server:
            yield server, other


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
