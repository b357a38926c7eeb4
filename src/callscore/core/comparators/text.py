"""Text that is the same, or nearly, but for case, space, punctuation and width."""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING, Any

from callscore.core.asking import ask, share_answered
from callscore.core.comparator import operand_problem, option_problem
from callscore.core.folding import FOLDS, fold
from callscore.core.phrase import Note, Phrase
from callscore.core.quantity import is_share
from callscore.core.verdict import Verdict
from callscore.core.wrong_type import wrong_type

if TYPE_CHECKING:
    from callscore.core.matcher import Matcher
    from callscore.core.verdict import Context

__all__ = ["EXAMPLES", "KEYS", "NOT_ALIKE", "OPTIONS", "RULE", "SCHEMA", "TOO_LONG", "check"]
__all__ += ["compare"]

KEYS = ("$text",)
OPTIONS = ("ignore", "similarity")
RULE = True
SCHEMA: dict[str, Any] = {
    "value": {"description": "The text that is meant.", "type": "string"},
    "options": {
        "ignore": {
            "description": "What not to mind; all four if this is not given.",
            "type": "array",
            "items": {"enum": list(FOLDS)},
        },
        "similarity": {
            "description": "How alike the texts must be, from 0 to 1; without this they must be"
            " equal but for what is ignored.",
            "type": "number",
            "minimum": 0,
            "maximum": 1,
        },
    },
}
EXAMPLES = (
    ({"$text": "New York"}, "new-york ", "newyork"),
    ({"$text": "New York", "ignore": ["case"]}, "NEW YORK", "New  York"),
    ({"$text": "New York", "similarity": 0.9}, "New Yorkk", "New Jersey"),
)

NOT_ALIKE = Phrase("similarity {given} < {least}", "сходство {given} < {least}")
TOO_LONG = Phrase("the texts are too long to compare", "тексты слишком длинные для сравнения")

# Products of the two lengths. From the first on, texts that are not alike enough are not measured
# to the end; the second takes about a fifth of a second.
_MEASURED = 100_000_000
_COMPARED = 10_000_000_000


def check(matcher: Matcher) -> str | None:
    """The value is text, and the options are what they can be."""
    if not isinstance(matcher.value, str):
        return operand_problem(matcher, "text")
    options = matcher.options
    if "ignore" in options and not _are_folds(options["ignore"]):
        return option_problem(matcher, "ignore", f"a list of {', '.join(FOLDS)}")
    if "similarity" in options and not is_share(options["similarity"]):
        return option_problem(matcher, "similarity", "a number from 0 to 1")
    return None


def _are_folds(value: Any) -> bool:
    if not isinstance(value, list | tuple):
        return False
    return all(isinstance(item, str) and item in FOLDS for item in value)


def compare(matcher: Matcher, actual: Any, context: Context) -> Verdict:
    """Whether the folded texts are equal, or alike enough."""
    if not isinstance(actual, str):
        return wrong_type(actual, "string")
    ignore = tuple(matcher.options.get("ignore", FOLDS))
    wanted, given = fold(matcher.value, ignore), fold(actual, ignore)
    if wanted == given:
        return Verdict(matched=True)
    least = matcher.options.get("similarity")
    if least is None:
        return Verdict(matched=False, value=0.0)
    return _verdict(_similarity(wanted, given, least, context), least)


def _verdict(similarity: float | None, least: float) -> Verdict:
    if similarity is None:
        return Verdict(matched=False, value=0.0, note=Note(TOO_LONG))
    if similarity >= least:
        return Verdict(matched=True, value=similarity)
    shown = floor(similarity * 100) / 100  # never rounded up to what is wanted
    note = Note(NOT_ALIKE, {"given": f"{shown:g}", "least": f"{least:g}"})
    return Verdict(matched=False, value=similarity, note=note)


def _similarity(wanted: str, given: str, least: float, context: Context) -> float | None:
    """How alike two texts are; None where that would take too long."""
    if context.similarity is not None:
        return share_answered("similarity", ask("similarity", context.similarity, wanted, given))
    work = len(wanted) * len(given)
    if work > _COMPARED:
        return None
    from rapidfuzz.distance import Indel

    cutoff = least if work > _MEASURED else 0
    return Indel.normalized_similarity(wanted, given, score_cutoff=cutoff)
