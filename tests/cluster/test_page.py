"""The examples of docs/how-to/score-a-data-lake.md, with the engine of this environment."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.cluster.conftest import ENGINES

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", ENGINES)
def test_the_examples_of_the_page_run_and_print_what_it_says(name: str) -> None:
    page = ROOT / "docs/how-to/score-a-data-lake.md"

    ran = subprocess.run(
        [sys.executable, ROOT / "docs/examples.py", f"--with={name}", page],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )

    assert (ran.returncode, ran.stdout) == (0, ""), ran.stderr
