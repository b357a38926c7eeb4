"""What every JSON encoder has to accept, and a value that is hard on them."""

from __future__ import annotations

import json  # noqa: TID251  (what we export must please the standard library's encoder as well)
from typing import Any

import msgspec

__all__ = ["accepted_by_all", "nested"]


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


def accepted_by_all(value: Any) -> Any:
    """What comes back from every encoder, which must be the same."""
    standard = json.loads(json.dumps(value, allow_nan=False))
    assert msgspec.json.decode(msgspec.json.encode(value)) == standard
    return standard
