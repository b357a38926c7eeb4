"""Everything that a gate says as one JSON document."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from callscore.comparing.export import gate_to_dict
from callscore.core.plain import encode_json, plain

if TYPE_CHECKING:
    from callscore.comparing.gating import Gate
    from callscore.core.wording import Language

__all__ = ["write"]


def write(gate: Gate, *, next_command: str, most: int | None = None, lang: Language = "en") -> str:
    """The document, indented.

    Args:
        gate: what it says.
        next_command: what to type next.
        most: taken, and of no use: all cases are in the document, however many there are.
        lang: the language of the sentences in it, never of the keys.
    """
    del most
    fields = {**gate_to_dict(gate, lang=lang), "next": plain(next_command)}
    return msgspec.json.format(encode_json(fields), indent=2).decode() + "\n"
