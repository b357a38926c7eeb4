"""The real promptfoo."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.parity.node import measures_of, package_version

if TYPE_CHECKING:
    from tests.parity.configuration import Measure

__all__ = ["PACKAGE", "measures", "version"]

PACKAGE = "promptfoo"
version = package_version("promptfoo", PACKAGE)


def measures() -> dict[str, Measure]:
    """What the package says, by configuration."""
    return measures_of("promptfoo", ["f1", "passes", "passes@0.5", "not-passes@0.5"])
