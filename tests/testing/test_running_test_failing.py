"""What a failed assertion says fits the terminal."""

from __future__ import annotations

import pytest

from callscore import score
from callscore.testing.running_test import failure_text, text_width


@pytest.mark.parametrize(("columns", "width"), [("40", 52), ("100", 92), ("500", 132)])
def test_a_failure_is_as_wide_as_the_terminal_within_reason(
    columns: str, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    found = score([("f", {"text": "x" * 300})], [("f", {"text": "y" * 300})])

    lines = failure_text(found).splitlines()

    assert text_width() == width
    assert max(map(len, lines[2:])) <= width
