"""What somebody may call a run, or a baseline: a word that means nothing else where a run is named."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from callscore.history.records import Baseline

__all__ = ["LONGEST_NAME", "name_fault", "require_no_baseline"]

LONGEST_NAME = 200
# What finds runs by their age.
_LATEST = re.compile(r"latest(\W.*)?", re.DOTALL | re.IGNORECASE)
# What git calls the commit that is checked out.
_HEADS = ("head", "@")
_ID = re.compile(r"\d{8}-\d{6}-[0-9a-z]{4}", re.ASCII)


def name_fault(name: str) -> str | None:
    """Why a run, or a baseline, cannot be called so, as the end of a sentence; None where it can."""
    if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        return f"a name has 1 to {LONGEST_NAME} characters that can be read"
    if name != name.strip():
        return "it begins or ends with a blank"
    return _other_meaning(name)


def _other_meaning(name: str) -> str | None:
    if name.startswith("-"):
        return "it begins like an option"
    if _LATEST.fullmatch(name) or name.lower() in _HEADS or "~" in name:
        return "it means a run by its age, or a commit"
    if ":" in name:
        return "what follows a colon is a variant"
    return "it is the id of a run" if _ID.fullmatch(name) else None


def require_no_baseline(name: str | None, baselines: Iterable[Baseline]) -> None:
    """Refuse to call a run by the name of a baseline: whoever names it would mean the other one.

    Raises:
        InvalidSettings: there is a baseline of this name.
    """
    for baseline in baselines:
        if baseline.name == name:
            raise InvalidSettings(
                f"{name!r} is a baseline, the run {baseline.run}: a run of this name could not be "
                f"named. Choose another, or make the run the baseline when it has ended: callscore "
                f"baseline set latest --name {name}"
            )
