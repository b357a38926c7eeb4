"""The how-to pages about data frames: their examples run with the real packages.

They need an environment of their own (requirements/frames.txt) and are run by `make frames`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMES = ("daft", "dask", "duckdb", "polars")


@pytest.mark.parametrize("name", NAMES)
def test_the_examples_of_a_page_run_and_print_what_it_says(name: str) -> None:
    page = ROOT / f"docs/how-to/score-with-{name}.md"

    ran = subprocess.run(
        [sys.executable, ROOT / "docs/examples.py", page],
        env={**os.environ, "DO_NOT_TRACK": "1"},  # Daft reports its use otherwise
        capture_output=True,
        encoding="utf-8",
        check=False,
    )

    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
