"""Everything that a gate says as one JSON document."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from callscore.comparing.export import gate_to_dict
from callscore.core.plain import encode_json, plain

if TYPE_CHECKING:
    from callscore.comparing.gating import Gate
    from callscore.core.wording import Language

__all__ = ["NAME", "write"]

NAME = "json"


def write(gate: Gate, *, next_command: str, lang: Language = "en") -> str:
    """The document, indented; the language is that of the sentences in it, never of the keys."""
    fields = {**gate_to_dict(gate, lang=lang), "next": plain(next_command)}
    return msgspec.json.format(encode_json(fields), indent=2).decode() + "\n"
