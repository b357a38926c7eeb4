"""The columns of the tables, in order, and the checksums of their rows: all that reading needs.

`schema.py` declares the same tables to SQLAlchemy, to create them and to write to them. Importing that
takes longer than most commands that only read.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from callscore.history.checksums import RowChecks
from callscore.history.records import COUNTS

__all__ = [
    "ALL_TABLES",
    "ANSWERS",
    "ANSWER_CHECKS",
    "BASELINES",
    "BASELINE_CHECKS",
    "CONTENTS",
    "EMPTY_CONTENTS",
    "EVALUATIONS",
    "EVALUATION_CHECKS",
    "JUDGEMENTS",
    "JUDGEMENT_CHECKS",
    "NOTES",
    "NOTE_CHECKS",
    "PAYLOADS",
    "RESULTS",
    "RESULT_CHECKS",
    "RUNS",
    "RUN_CHECKS",
    "STOP_REQUESTS",
    "TABLES",
    "VERSION",
    "VERSION_TABLE",
    "AnswerRow",
    "Columns",
    "EvaluationRow",
    "ResultRow",
    "RunRow",
]

VERSION = 9
VERSION_TABLE = "callscore_schema"


class Columns:
    """The columns of a table: `name`, `name?` for a boolean, `name~` for a floating-point number.

    Attributes:
        written: without the number of the row, which the database assigns.
        select: the beginning of a query for all of them.
    """

    def __init__(self, table: str, columns: str, *, is_numbered: bool = False) -> None:
        words = columns.split()
        self.table = table
        self.names = tuple([word.rstrip("?~") for word in words])
        self.written = self.names[1:] if is_numbered else self.names
        self.booleans = tuple([word[:-1] for word in words if word.endswith("?")])
        self.doubles = tuple([word[:-1] for word in words if word.endswith("~")])
        self.positions = {name: at for at, name in enumerate(self.names)}
        self.select = f"SELECT {', '.join(f'{table}.{name}' for name in self.names)}"


RUNS = Columns(
    "runs",
    "number id command status started_at~ finished_at~ name arguments versions git_commit git_dirty?"
    " parent totals evaluation_count result_count seal checksum",
    is_numbered=True,
)
EVALUATIONS = Columns(
    "evaluations",
    "run number name variant place settings scorers fail_under tools summary by_tag checksum",
)
RESULTS = Columns(
    "results",
    f"number run evaluation case_id trial position status passed? f1~ {' '.join(COUNTS)} scores tags"
    " payload question answer calls failure_kind failure seconds~ requests input_tokens output_tokens"
    " attempts is_reused? finished_at~ expectation asked faults turns first_wrong_turn tools"
    " comparison made checksum",
    is_numbered=True,
)
ANSWERS = Columns(
    "answers",
    "number run question source trial answer seconds~ requests input_tokens output_tokens attempts"
    " asked_at~ checksum",
    is_numbered=True,
)
JUDGEMENTS = Columns("judgements", "key model answer saved_at~ checksum")
BASELINES = Columns("baselines", "run name set_at~ checksum")
CONTENTS = Columns("contents", "number runs runs_sum baselines baselines_sum")
# The row of a new history.
EMPTY_CONTENTS = {
    "number": 1,
    "runs": 0,
    "runs_sum": bytes(8),
    "baselines": 0,
    "baselines_sum": bytes(8),
}
PAYLOADS = Columns("payloads", "digest body")
NOTES = Columns("notes", "id place case_id text written_at~ checksum")
STOP_REQUESTS = Columns("stop_requests", "run requested_at~")

ALL_TABLES = (
    RUNS,
    EVALUATIONS,
    RESULTS,
    ANSWERS,
    JUDGEMENTS,
    BASELINES,
    CONTENTS,
    PAYLOADS,
    NOTES,
    STOP_REQUESTS,
)
TABLES = frozenset({VERSION_TABLE, *[each.table for each in ALL_TABLES]})

ANSWER_CHECKS = RowChecks(ANSWERS, "an answer", "question")
BASELINE_CHECKS = RowChecks(BASELINES, "a baseline", "name")
EVALUATION_CHECKS = RowChecks(EVALUATIONS, "an evaluation", "number")
JUDGEMENT_CHECKS = RowChecks(JUDGEMENTS, "a judgement", "key")
NOTE_CHECKS = RowChecks(NOTES, "a note", "id")
RESULT_CHECKS = RowChecks(RESULTS, "a result", "evaluation")
RUN_CHECKS = RowChecks(RUNS, "the record of a run", "id")

# Rows with names, where there are few of them; the last columns are the bodies of payloads, and the id of the run.
_make_type: Any = namedtuple  # noqa: PYI024  (the names are in the tables)
RunRow = _make_type("RunRow", RUNS.names)
EvaluationRow = _make_type("EvaluationRow", (*EVALUATIONS.names, "tools_body"), defaults=(None,))
ResultRow = _make_type(
    "ResultRow",
    (*RESULTS.names, "payload_body", "answer_body", "calls_body", "comparison_body"),
)
AnswerRow = _make_type("AnswerRow", (*ANSWERS.names, "answer_body", "run_id"))
