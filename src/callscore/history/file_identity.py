"""Tells whether a file is still the one that stood there before."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["identity_of"]


def identity_of(path: Path | None) -> tuple[int, int] | None:
    """Which file stands at the path; None for none."""
    try:
        found = path and path.stat()
    except OSError:
        return None
    return (found.st_dev, found.st_ino) if found else None
