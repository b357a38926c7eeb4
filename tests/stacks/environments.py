"""An environment for each stack; what it holds is in `requirements/stacks`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.installing import CACHE, ROOT, NotInstalled, installed

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["ROOT", "NotInstalled", "environment_of", "stacks"]

_REQUIREMENTS = ROOT / "requirements" / "stacks"


def stacks() -> list[str]:
    """The stacks that have an environment, by name."""
    return sorted({path.name.split(".")[0] for path in _REQUIREMENTS.glob("*.txt")})


def environment_of(stack: str) -> Path:
    """The folder of a stack's environment; the stack is installed if it is not yet.

    Raises:
        NotInstalled: that fails.
    """
    files = sorted(_REQUIREMENTS.glob(f"{stack}.*txt"))
    return installed(CACHE / "stacks" / stack, files, "pytest")
