"""References inside of a schema."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.schemas.traversal import resolve_reference

SCHEMA = {"$defs": {"a/b": {"c~d": {"type": "string"}}}, "allOf": [{"minimum": 1}]}


@pytest.mark.parametrize(
    ("reference", "target"),
    [
        ("#", SCHEMA),
        ("#/$defs/a~1b/c~0d", {"type": "string"}),
        ("#/allOf/0", {"minimum": 1}),
        ("#/allOf/1", None),
        ("#/allOf/x", None),
        ("#/allOf/99999999999999999999", None),
        ("#/allOf/0/minimum/x", None),
        ("#/nowhere/at/all", None),
        ("#anchor", None),
        ("http://example.invalid/x", None),
        (None, None),
        (3, None),
    ],
)
def test_a_reference_leads_to_its_target_or_nowhere(reference: Any, target: Any) -> None:
    assert resolve_reference(SCHEMA, reference) == target
