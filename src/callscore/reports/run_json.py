"""Everything about a run as one JSON document."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from callscore.core.plain import encode_json
from callscore.core.run_export import run_to_dict

if TYPE_CHECKING:
    from callscore.core.run import RunResults
    from callscore.core.wording import Language

__all__ = ["write"]


def write(run: RunResults, *, lang: Language = "en") -> str:
    """The document, indented; the language is that of the sentences in it, never of the keys."""
    document = encode_json(run_to_dict(run, lang=lang))
    return msgspec.json.format(document, indent=2).decode() + "\n"
