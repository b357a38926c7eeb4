"""Scores of results that a run has kept, made anew to be shown; nobody is asked anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from callscore.api import score_case, tools_by_name
from callscore.core.call import ToolCall
from callscore.core.settings import Settings, settings_from
from callscore.engines.definitions import Definitions
from callscore.engines.payloads import JUDGE
from callscore.engines.score_payloads import comparison_payload, score_counts
from callscore.errors import CallscoreError
from callscore.models.judging import Memory, judge
from callscore.runner.kept_results import kept_settings
from callscore.runner.result_records import case_of_payload

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from callscore.core.model import Score
    from callscore.core.tool import Tool
    from callscore.history.records import EvaluationRecord, ResultRecord
    from callscore.history.store import Store

__all__ = ["KeptScores", "NeverJudgedError", "kept_calls"]

_FUNCTIONS = ("judge", "similarity")


class NeverJudgedError(Exception):
    """A judge is needed who has not been asked; no error of callscore's own, so that he is not."""


class KeptScores:
    """The scores of the results of a run, as they were.

    Args:
        store: the history; judges answer from what it holds.
        evaluations: what the run evaluated.
    """

    def __init__(self, store: Store, evaluations: Iterable[EvaluationRecord]) -> None:
        self._store = store
        self._records = {record.number: record for record in evaluations}
        self._settings: dict[int, Settings] = {}
        self._tools: dict[int, Mapping[str, Tool] | None] = {}
        self._own_tools = Definitions()

    def settings_of(self, evaluation: int) -> Settings:
        """What decided the scores of an evaluation, as far as data can say it."""
        if evaluation not in self._settings:
            self._settings[evaluation] = self._read_settings(self._records[evaluation])
        return self._settings[evaluation]

    def score_of(self, record: ResultRecord) -> Score | None:
        """The score of a result; None where there is none, or where nobody can tell how it came about.

        The latter is so where only Python can say what was expected, where a function that is not
        kept decided, and where a newer callscore counts otherwise than the one that scored it.
        """
        if record.status != "scored":
            return None
        try:
            score = self._score(record)
            if score.settings.judge is not None:
                comparison_payload(score)  # to be shown, every value must have been judged
        except (CallscoreError, NeverJudgedError):
            return None
        return score if score_counts(score) == record.counts else None

    def _score(self, record: ResultRecord) -> Score:
        case = case_of_payload(record.case, record.payload)
        settings, tools = self.settings_of(record.evaluation), self._tools_of(record.evaluation)
        if tools is None:
            tools = self._own_tools.of(case.tools, f"case {case.id}")
        return score_case(tuple(case.expected or ()), kept_calls(record), settings, tools)

    def _tools_of(self, evaluation: int) -> Mapping[str, Tool] | None:
        if evaluation not in self._tools:
            told = self._records[evaluation].tools
            self._tools[evaluation] = None if told is None else tools_by_name(told)
        return self._tools[evaluation]

    def _read_settings(self, record: EvaluationRecord) -> Settings:
        kept = kept_settings(record.settings)
        functions = {name: kept.pop(name, None) for name in _FUNCTIONS}
        if isinstance(functions["judge"], dict):
            kept["judge"] = self._judge(functions["judge"])
        try:
            return settings_from(kept)
        except CallscoreError:  # another callscore knew settings that this one does not
            return Settings()

    def _judge(self, made_of: dict[str, Any]) -> Any:
        """The judge of the run, who knows what he has said, and is asked nothing else."""

        def recall(key: str) -> Any:
            found = self._store.judgement(key)
            if found is None:
                raise NeverJudgedError
            return found

        model, base_url, key_variable = [made_of[name] for name in JUDGE]
        memory = Memory(recall, lambda _key, _answer: None)
        return judge(model, base_url=base_url, key_variable=key_variable, remember=memory)


def kept_calls(record: ResultRecord) -> tuple[ToolCall, ...]:
    """The calls that were made; what is no call, for somebody has written it there, is left out."""
    try:
        return tuple(msgspec.convert(record.calls or (), list[ToolCall], strict=False))
    except msgspec.ValidationError:
        return ()
