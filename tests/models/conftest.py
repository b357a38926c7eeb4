"""Models asked on loopback, without long waits."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("callscore.models.limits._FIRST_PAUSE", 0.001)
