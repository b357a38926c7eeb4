"""The tables of a history, as SQLAlchemy creates them on a server and removes rows from them.

`tables.py` has what reading and writing needs, and `file_tables.py` creates the same tables in a file.

A run has evaluations, an evaluation has results. Long or repeated values (a case, an answer, its calls) are stored
once in `payloads`, by the digest of their text. Answers are also stored by question, so that they can be reused.
`baselines` names the runs that others are compared with, and `notes` are about cases. `checksums.py` says what the
checksums cover.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    String,
    Table,
    Text,
    insert,
)

from callscore.history.records import COUNTS
from callscore.history.table_versions import are_current
from callscore.history.tables import EMPTY_CONTENTS, VERSION, VERSION_TABLE

if TYPE_CHECKING:
    from sqlalchemy import Connection

__all__ = [
    "METADATA",
    "answers",
    "baselines",
    "contents",
    "ensure_tables",
    "evaluations",
    "judgements",
    "notes",
    "payloads",
    "results",
    "runs",
    "stop_requests",
]

METADATA = MetaData()

# SQLite numbers rows automatically only in an INTEGER column.
_RowNumber = BigInteger().with_variant(Integer(), "sqlite")


def _checksum() -> Column[bytes]:
    """The last column of a table whose rows are verified; only the columns before it are covered."""
    return Column("checksum", LargeBinary(8), nullable=False)


schema_version = Table(
    VERSION_TABLE, METADATA, Column("version", Integer, primary_key=True, autoincrement=False)
)

runs = Table(
    "runs",
    METADATA,
    Column("number", Integer, primary_key=True),
    Column("id", String(64), nullable=False, unique=True),
    Column("command", String(32), nullable=False),
    Column("status", String(16), nullable=False),
    # No index: a list of runs is verified as a whole, and a damaged index would hide some.
    Column("started_at", Double, nullable=False),
    Column("finished_at", Double),
    Column("name", Text),
    Column("arguments", Text),
    Column("versions", Text),
    Column("git_commit", String(64)),
    Column("git_dirty", Boolean),
    Column("parent", String(64)),
    Column("totals", Text),
    # What it had when it ended.
    Column("evaluation_count", Integer),
    Column("result_count", Integer),
    Column("seal", LargeBinary(16)),
    _checksum(),
)

evaluations = Table(
    "evaluations",
    METADATA,
    Column("run", Integer, ForeignKey("runs.number", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    Column("variant", Text),
    Column("place", Text, nullable=False),
    Column("settings", Text),
    Column("scorers", Text),
    Column("fail_under", Text),
    Column("tools", LargeBinary(16)),
    Column("summary", Text),
    # The totals of each tag, once the run has ended; null if they are not known.
    Column("by_tag", Text),
    _checksum(),
)

# Digests of payloads are not declared as references, which would be checked for every row: the
# payload is written in the same transaction.
results = Table(
    "results",
    METADATA,
    Column("number", _RowNumber, primary_key=True),
    Column("run", Integer, ForeignKey("runs.number", ondelete="CASCADE"), nullable=False),
    Column("evaluation", Integer, nullable=False),
    Column("case_id", Text, nullable=False),
    Column("trial", Integer, nullable=False),
    # The place of the question in the run; results are written in the order of the answers.
    Column("position", Integer),
    Column("status", String(16), nullable=False),
    Column("passed", Boolean),
    Column("f1", Double),
    *(Column(name, Integer) for name in COUNTS),
    Column("scores", Text),
    Column("tags", Text),
    Column("payload", LargeBinary(16)),
    Column("question", LargeBinary),
    Column("answer", LargeBinary(16)),
    Column("calls", LargeBinary(16)),
    Column("failure_kind", String(16)),
    Column("failure", Text),
    Column("seconds", Double, nullable=False),
    Column("requests", Integer, nullable=False),
    Column("input_tokens", Integer, nullable=False),
    Column("output_tokens", Integer, nullable=False),
    Column("attempts", SmallInteger, nullable=False),
    Column("is_reused", Boolean, nullable=False),
    Column("finished_at", Double, nullable=False),
    Column("expectation", LargeBinary(16)),
    Column("asked", LargeBinary(16)),
    Column("faults", Integer),
    Column("turns", Integer),
    Column("first_wrong_turn", Integer),
    Column("tools", Text),
    Column("comparison", LargeBinary(16)),
    # The digest of the calls without what differs in every run: their ids and results.
    Column("made", LargeBinary(16)),
    _checksum(),
    # The case before the evaluation: queries for a case may not name the evaluation.
    Index("results_case", "run", "case_id", "evaluation", "trial", unique=True),
    Index("results_order", "run", "number"),
)

answers = Table(
    "answers",
    METADATA,
    Column("number", _RowNumber, primary_key=True),
    Column("run", Integer, ForeignKey("runs.number", ondelete="SET NULL")),
    Column("question", LargeBinary, nullable=False),
    Column("source", LargeBinary, nullable=False),
    Column("trial", Integer, nullable=False),
    Column("answer", LargeBinary(16)),
    Column("seconds", Double, nullable=False),
    Column("requests", Integer, nullable=False),
    Column("input_tokens", Integer, nullable=False),
    Column("output_tokens", Integer, nullable=False),
    Column("attempts", SmallInteger, nullable=False),
    Column("asked_at", Double, nullable=False),
    _checksum(),
    Index("answers_question", "question", "source", "trial", "number"),
    Index("answers_run", "run", "question", "trial", "number"),
)

payloads = Table(
    "payloads",
    METADATA,
    Column("digest", LargeBinary(16), primary_key=True),
    Column("body", LargeBinary, nullable=False),
)

judgements = Table(
    "judgements",
    METADATA,
    Column("key", Text, primary_key=True),
    Column("model", Text, nullable=False),
    Column("answer", Text, nullable=False),
    Column("saved_at", Double, nullable=False),
    _checksum(),
)

baselines = Table(
    "baselines",
    METADATA,
    Column("run", Integer, ForeignKey("runs.number", ondelete="CASCADE"), nullable=False),
    Column("name", Text, primary_key=True),
    Column("set_at", Double, nullable=False),
    _checksum(),
)

# What a user wrote about a case, in all runs and under all variants of its evaluation.
notes = Table(
    "notes",
    METADATA,
    Column("id", String(64), primary_key=True),
    Column("place", Text, nullable=False),
    Column("case_id", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("written_at", Double, nullable=False),
    _checksum(),
    Index("notes_case", "place", "case_id"),
)

# The runs that were asked to stop, which the process of such a run notices.
stop_requests = Table(
    "stop_requests",
    METADATA,
    Column(
        "run",
        Integer,
        ForeignKey("runs.number", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("requested_at", Double, nullable=False),
)

# One row: the runs and the baselines that there are.
contents = Table(
    "contents",
    METADATA,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("runs", Integer, nullable=False),
    Column("runs_sum", LargeBinary(8), nullable=False),
    Column("baselines", Integer, nullable=False),
    Column("baselines_sum", LargeBinary(8), nullable=False),
)


def ensure_tables(connection: Connection, place: str) -> None:
    """Create the tables in the current transaction, if there are none.

    Raises:
        UnusableStore: the tables are of another version, or the database is of another program.
    """
    if are_current(connection, place):
        return
    METADATA.create_all(connection)
    connection.execute(insert(schema_version).values(version=VERSION))
    connection.execute(insert(contents).values(EMPTY_CONTENTS))
