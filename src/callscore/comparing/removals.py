"""Cases that were removed on purpose: each with a reason, which the reports of a gate list."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase

from msgspec import Struct

from callscore.comparing.sides import MatchedCase, UnmatchedCase, case_name
from callscore.errors import InvalidSettings
from callscore.hiding.finding import OPENING
from callscore.hiding.hider import hide_text

_WILD = frozenset("*?[]!:- ")


class RemovedCase(Struct, frozen=True, gc=False, kw_only=True):
    """A case of the first run that is missing on purpose; `reason` says why."""

    evaluation: str
    case: str
    reason: str

    @property
    def name(self) -> str:
        """The name of the case among several evaluations."""
        return case_name(self.evaluation, self.case)


def checked_removals(given: Mapping[str, object], *, where: str) -> dict[str, str]:
    """The patterns of removed cases, with their reasons.

    Raises:
        InvalidSettings: a reason is missing, or a pattern matches every case.
    """
    for pattern, reason in given.items():
        if not isinstance(reason, str) or not any(map(str.isalnum, reason)):
            raise InvalidSettings(f"{where}: {pattern!r} needs a reason, in a sentence")
        if _WILD.issuperset(pattern):
            raise InvalidSettings(f"{where}: {pattern!r} matches every case. Name the cases")
    return {pattern: str(reason).strip() for pattern, reason in given.items()}


def fitting_patterns(removals: Mapping[str, str]) -> Callable[[str, str], tuple[bool, ...]]:
    """What says which patterns fit a case, given the label of its evaluation and its id."""
    patterns = list(map(_filter, removals))

    def fitting(evaluation: str, case: str) -> tuple[bool, ...]:
        return tuple([fits((case, case_name(evaluation, case))) for fits in patterns])

    return fitting


def removed_cases(
    missing: Iterable[MatchedCase | UnmatchedCase],
    removals: Mapping[str, str],
    remaining: Sequence[MatchedCase] = (),
) -> tuple[list[RemovedCase], list[str]]:
    """The missing cases that were removed on purpose, and the patterns that match none.

    A pattern matches the id of a case, or its name with the evaluation: `refunds::*`. `remaining` are the
    cases that are not missing.

    Raises:
        InvalidSettings: a pattern matches a missing case, and all that remain.
    """
    found: list[RemovedCase] = []
    unused = dict.fromkeys(removals)
    patterns = {pattern: _filter(pattern) for pattern in removals}
    for each in missing:
        case = _id_of(each)
        matching = [one for one, fits in patterns.items() if fits((case, each.name))]
        for pattern in matching:
            unused.pop(pattern, None)
        if matching:
            reason = removals[matching[0]]
            found.append(RemovedCase(evaluation=each.evaluation, case=case, reason=reason))
    _refuse_matching_all({one: patterns[one] for one in removals if one not in unused}, remaining)
    return found, list(unused)


def _refuse_matching_all(
    patterns: Mapping[str, Callable[[Sequence[str]], bool]], remaining: Sequence[MatchedCase]
) -> None:
    """Refuse patterns by which the cases that remain could vanish, too."""
    for pattern, fits in patterns.items():
        if remaining and all(fits((each.after.id, each.name)) for each in remaining):
            raise InvalidSettings(f"removed: {pattern!r} matches every case. Name the cases")


def _id_of(case: MatchedCase | UnmatchedCase) -> str:
    return case.case.id if isinstance(case, UnmatchedCase) else case.after.id


def _filter(pattern: str) -> Callable[[Sequence[str]], bool]:
    # In the names of a saved run secrets are hidden; the brackets of a marker are not a set.
    hidden = hide_text(pattern)
    wild = hidden.replace(OPENING, f"[[]{OPENING[1:]}")
    return lambda names: any(name in (pattern, hidden) or fnmatchcase(name, wild) for name in names)
