"""A tool as it was offered to the agent."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

__all__ = ["Effect", "Tool"]

Effect = Literal["read", "write"]


class Tool(Struct, frozen=True, gc=False, omit_defaults=True):
    """The definition of one tool.

    Attributes:
        name: what calls name it by.
        description: what the agent was told about it.
        parameters: the JSON Schema of its argument object; None where the trace has none.
        effect: whether it only reads or may change something; None where nobody said.
    """

    name: str
    description: str | None = None
    parameters: dict[str, Any] | None = None
    effect: Effect | None = None
