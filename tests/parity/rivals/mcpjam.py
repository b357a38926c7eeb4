"""The real MCPJam."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.parity.node import measures_of, package_version

if TYPE_CHECKING:
    from tests.parity.configuration import Measure

__all__ = ["PACKAGE", "measures", "version"]

PACKAGE = "@mcpjam/sdk"
version = package_version("mcpjam", PACKAGE)

_ORDERS = ("ignore", "strict", "superset")
_MATCHINGS = ("partial", "exact", "ignore")


def measures() -> dict[str, Measure]:
    """What the package says, by configuration."""
    plain = [f"{order}/{matching}" for order in _ORDERS for matching in _MATCHINGS]
    options = ["ignore/exact/maxExtraToolCalls=0", "superset/partial/maxExtraToolCalls=1"]
    return measures_of("mcpjam", [*plain, *options, "ignore/partial/isNegativeTest=1"])
