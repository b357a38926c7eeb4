"""The real Evalite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.parity.node import measures_of, package_version

if TYPE_CHECKING:
    from tests.parity.configuration import Measure

__all__ = ["PACKAGE", "measures", "version"]

PACKAGE = "evalite"
version = package_version("evalite", PACKAGE)


def measures() -> dict[str, Measure]:
    """What the package says, by configuration."""
    return measures_of(
        "evalite",
        [
            "exact",
            "flexible",
            "exact/exact=0.7/nameOnly=0.3/wrongPenalty=0.1",
            "flexible/nameOnly=0.6/extraPenalty=0.15",
        ],
    )
