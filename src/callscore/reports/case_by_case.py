"""Reports that are written case by case: what a format says about that.

A report on any number of cases takes little memory if each case is written as soon as it is scored. What precedes the
cases in a document contains the totals, and is known only after the last case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from msgspec import Struct

if TYPE_CHECKING:
    from callscore.core.phrases import Language
    from callscore.core.results import Results
    from callscore.hiding.hider import Hider

# The module of reports whose `CASE_FORMAT` describes a format. The others are written as a whole.
_MODULES = {
    "html": "html.score",
    "json": "score_json",
    "junit": "score_junit",
    "markdown": "score_markdown",
    "table": "score_terminal",
}


class ShownCases(Struct, frozen=True):
    """What has to be known of the cases that are written already.

    Attributes:
        count: how many there are.
        failing: how many of them did not pass.
        faults: how many violations of the tool definitions they have together.
    """

    count: int = 0
    failing: int = 0
    faults: int = 0


class CaseFormat(NamedTuple):
    """How a document is put together from the cases in it.

    Attributes:
        case: a case without secrets, as it is written in the document. The title of a single case is
            not needed here: a report on one case is written as a whole. JSON takes those without an
            answer, too.
        around: what precedes the cases, and what follows them. The results have no `cases`.
        separator: what is between two cases.
        hidden_case: like `case`, for a case with secrets in it, which are to be hidden; None if they
            are hidden before.
        assemble: makes the file of a format that is more than its cases in a row, from the results,
            the cases as `case` writes them, and what the command knows; instead of `around`.
    """

    case: Callable[[Any, Language], bytes]
    around: Callable[[Results, ShownCases, Language], tuple[str, str]]
    separator: bytes = b""
    hidden_case: Callable[[Any, Language, Hider], bytes] | None = None
    assemble: Callable[[Results, Iterable[bytes], Language, Any], Iterator[bytes]] | None = None


def case_format(output_format: str) -> CaseFormat | None:
    """How a format is written case by case; None if it cannot be."""
    if output_format not in _MODULES:
        return None
    module = import_module(f"callscore.reports.{_MODULES[output_format]}")
    return cast("CaseFormat", module.CASE_FORMAT)
