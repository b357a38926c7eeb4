"""The index of a report without the details of its cases, which the page asks for one by one.

A detail has an explanation and reasons in words; an index of 100,000 cases takes half the time without them.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from typing import TYPE_CHECKING

import msgspec
from msgspec import UNSET

from callscore.core.results import Answer, Result
from callscore.hiding.hider import Hider
from callscore.reports.html.case_view import (
    CaseView,
    IndexRow,
    index_row,
    status_of,
    view_of_result,
)
from callscore.reports.html.compared_trials import TrialWriter
from callscore.reports.html.packing import Packer
from callscore.words.value_text import json_safe

if TYPE_CHECKING:
    from callscore.core.phrases import Language


def index_of(results: Iterable[tuple[int, Result]], lang: Language) -> bytes:
    """The index of the results of a run, as JSON, without secrets; each has the position of its evaluation."""
    hider = Hider()
    with closing(Packer()) as packer:
        for evaluation, result in results:
            shown = hider.data(result) if hider.has_any else result
            packer.add(_row(shown, lang, evaluation), b"")
        return packer.index()


def _row(result: Result, lang: Language, evaluation: int = 0) -> IndexRow:
    return index_row(_view(result, lang), result.score, lang, evaluation=evaluation)


def _view(result: Result, lang: Language) -> CaseView:
    """As much of the view of a result as its row in the index needs."""
    if result.score is None:  # the row is made from the calls of the view
        return view_of_result(result, lang)
    case, seconds = result.case, (result.answer or Answer()).seconds
    return CaseView(
        id=case.id,
        trial=case.trial,
        tags=tuple(case.tags),
        status=status_of(result),
        score=result.score.score,
        input=UNSET if case.input is None else case.input,
        seconds=seconds or UNSET,
    )


class IndexWriter(TrialWriter):
    """Writes the trials of one run of a comparison without their details."""

    def __call__(self, result: Result, evaluation: str = "") -> bytes:
        """One trial as a line."""
        del evaluation
        result = self._hider.data(result)
        if result.score is not None:
            self.summary.add(result.score)
        elif result.status == "scored":
            self.is_whole = False
        known: tuple[IndexRow, list[str], str] = _row(result, self._lang), [], ""
        try:
            encoded = msgspec.json.encode(known)
        except UnicodeEncodeError:  # half of a surrogate pair
            encoded = msgspec.json.encode(json_safe(msgspec.to_builtins(known)))
        return b"%b\t{}\n" % encoded
