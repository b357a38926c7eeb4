"""One JSON object a line for each case, written while the cases are being scored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.core.export import case_to_dict
from callscore.core.plain import encode_json

if TYPE_CHECKING:
    from callscore.core.results import CaseScore
    from callscore.core.wording import Language

__all__ = ["case_line"]


def case_line(case: CaseScore, *, lang: Language = "en") -> bytes:
    """The score of one case as a line of JSON, with its line break."""
    return encode_json(case_to_dict(case, lang=lang)) + b"\n"
