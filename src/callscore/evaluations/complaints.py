"""What goes wrong in people's own code, in words: what was raised, and where; never with a key."""

from __future__ import annotations

import re
from pathlib import Path
from traceback import FrameSummary, StackSummary, extract_tb, format_exception_only
from typing import TYPE_CHECKING, Any

from callscore.core.model import Case
from callscore.core.nearest import meant_by
from callscore.evaluations.places import shown
from callscore.evaluations.sources import code_file
from callscore.models.secrets import scrubbed

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["details_of", "raised", "said_by"]

_MOST_FRAMES = 6
_KEYWORD = re.compile(r"Unexpected keyword argument '(\w+)'")


def said_by(error: BaseException) -> str:
    """What an error says of itself, without keys; empty where it says nothing."""
    try:
        said = str(error)
    except Exception:  # noqa: BLE001  (whatever an error of somebody else does)
        return "(it cannot even be printed)"
    return _of_a_case(said, error) or scrubbed(said)


def _of_a_case(said: str, error: BaseException) -> str | None:
    """What is wrong with `Case(expect=...)`, of which Python does not say what has no such field."""
    found = _KEYWORD.fullmatch(said) if isinstance(error, TypeError) else None
    frames = extract_tb(error.__traceback__)
    if found is None or not frames or "Case(" not in (frames[-1].line or ""):
        return None
    return f"a Case has no field {found[1]!r}{meant_by(found[1], Case.__struct_fields__)}"


def raised(error: BaseException, function: Any = None) -> str:
    """What was raised, where, and what it says: `KeyError in eval_a.py:12: 'city'`.

    Args:
        error: what was raised.
        function: whose code it is; the last line of its file that was at work is named.
    """
    said, line = said_by(error), _line_in(code_file(function), error)
    where = "" if line is None else f" in {line}"
    return f"{type(error).__name__}{where}{f': {said}' if said else ''}"


def _line_in(file: str | None, error: BaseException) -> str | None:
    frames = [each for each in extract_tb(error.__traceback__) if each.filename == file]
    if file is None or not frames:
        return None
    return f"{shown(Path(file))}:{frames[-1].lineno}"


def details_of(error: BaseException, frames: Sequence[FrameSummary]) -> str:
    """The end of a traceback, without keys.

    Args:
        error: what was raised.
        frames: the part of the traceback that is of interest.
    """
    lines = StackSummary.from_list(list(frames[-_MOST_FRAMES:])).format()
    return scrubbed("".join([*lines, *format_exception_only(error)]).rstrip())
