"""A suite of twelve cases whose answers are in a file, for tests of commands that look at runs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec
from tests.servers.fork_server import SOURCE, run_program

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

__all__ = ["CITIES", "program", "write_answers", "write_suite"]

CITIES = (
    *("oslo", "rome", "paris", "lima", "cairo", "delhi"),
    *("tokyo", "quito", "accra", "dakar", "minsk", "sofia"),
)


def write_suite(folder: Path, *, wrong: Iterable[str] = (), more: str = "") -> None:
    """Write the suite, its cases and its answers.

    Args:
        folder: where.
        wrong: the cases whose answer is wrong.
        more: more lines of the suite.
    """
    suite = f'answers = "answers.jsonl"\ncases = "cases.jsonl"\n{more}'
    (folder / "eval_weather.toml").write_text(suite, encoding="utf-8")
    cases = [
        {
            "id": city,
            "input": f"Is it cold in {city}?",
            "tags": ["north"] if city in {"oslo", "minsk"} else [],
            "expected": [{"name": "get_weather", "arguments": {"city": city}}],
        }
        for city in CITIES
    ]
    _write_lines(folder / "cases.jsonl", cases)
    write_answers(folder, wrong=wrong)


def write_answers(folder: Path, *, wrong: Iterable[str] = ()) -> None:
    """Write the answers alone."""
    bad = set(wrong)
    answers = [
        {
            "id": city,
            "answer": [
                {"name": "get_weather", "arguments": {"city": "x" if city in bad else city}}
            ],
        }
        for city in CITIES
    ]
    _write_lines(folder / "answers.jsonl", answers)


def _write_lines(file: Path, records: Iterable[Mapping[str, object]]) -> None:
    file.write_bytes(b"".join(msgspec.json.encode(record) + b"\n" for record in records))


def program(folder: Path, *arguments: str) -> str:
    """Run `callscore` in a folder that several tests share; what it prints."""
    at_home = {name: os.environ[name] for name in os.environ if not name.startswith("GITHUB_")}
    ran = run_program(*arguments, folder=folder, environment={**at_home, "PYTHONPATH": SOURCE})
    assert ran.returncode in (0, 1), ran.stderr  # cases may fail
    return ran.stdout.decode()
