"""Which examples hypothesis draws: the same for everybody, or random ones until a time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
DRAWING = """
from hypothesis import given, strategies as st

def test_drawing():
    drawn = []

    @given(st.integers())
    def draw(number):
        drawn.append(number)

    draw()
    print(drawn)
"""


def drawn(folder: Path, **environment: str) -> str:
    """What pytest prints for a test that draws numbers, with the settings of our tests."""
    (folder / "test_drawing.py").write_text(DRAWING, encoding="utf-8")
    others = {key: value for key, value in os.environ.items() if key != "CI"}
    options = f"-p tests.conftest -p no:cacheprovider -q -s --rootdir {folder} -c {os.devnull}"
    found = subprocess.run(
        [sys.executable, "-m", "pytest", *options.split(), str(folder)],
        cwd=ROOT,
        env=others | environment,
        capture_output=True,
        check=False,
        text=True,
    )
    return found.stdout.partition(" in ")[0]


def test_everybody_draws_the_same_examples_unless_random_ones_are_wanted(tmp_path: Path) -> None:
    here, on_a_build_server = drawn(tmp_path), drawn(tmp_path, CI="true")
    at_random = drawn(tmp_path, CI="true", CALLSCORE_RANDOM_UNTIL="inf")

    assert "1 passed" in here
    assert "1 passed" in at_random
    assert here == on_a_build_server != at_random


def test_no_test_begins_after_the_time_for_random_examples(tmp_path: Path) -> None:
    assert "1 skipped" in drawn(tmp_path, CALLSCORE_RANDOM_UNTIL="1")
