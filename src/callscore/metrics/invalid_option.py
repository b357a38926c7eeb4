"""The error of a metric that was told what it cannot be told."""

from __future__ import annotations

from callscore.errors import InvalidSettings

__all__ = ["InvalidOption"]


class InvalidOption(InvalidSettings):
    """A metric was told something that it cannot be told, which no case is to blame for."""
