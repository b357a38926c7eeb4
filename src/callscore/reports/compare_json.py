"""Everything about a comparison as one JSON document."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from callscore.comparing.export import comparison_to_dict
from callscore.core.plain import encode_json

if TYPE_CHECKING:
    from callscore.comparing.comparison import Comparison
    from callscore.core.wording import Language

__all__ = ["write"]


def write(comparison: Comparison, *, most: int | None = None, lang: Language = "en") -> str:
    """The document, indented.

    Args:
        comparison: what it is about.
        most: taken, and of no use: all cases are in the document, however many there are.
        lang: the language of the sentences in it, never of the keys.
    """
    del most
    document = encode_json(comparison_to_dict(comparison, lang=lang))
    return msgspec.json.format(document, indent=2).decode() + "\n"
