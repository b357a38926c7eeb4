"""Everything about the results as one JSON document."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from callscore.core.export import results_to_dict
from callscore.core.plain import encode_json

if TYPE_CHECKING:
    from callscore.core.results import Results
    from callscore.core.wording import Language

__all__ = ["write"]


def write(results: Results, *, lang: Language = "en") -> str:
    """The document, indented; the language is that of the sentences in it, never of the keys."""
    document = encode_json(results_to_dict(results, lang=lang))
    return msgspec.json.format(document, indent=2).decode() + "\n"
