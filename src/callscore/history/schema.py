"""The tables of a history, their version, and how they are created.

A run has evaluations, an evaluation has results. Long or repeated values (a case, an answer, its calls) are stored
once in `payloads`, by the digest of their text. Answers are also stored by question, so that they can be reused.
`baselines` names the runs that others are compared with. `checksums.py` says what the checksums cover.
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
    inspect,
    select,
)

from callscore.errors import UnusableStore
from callscore.hiding.markers import KEY_SIZE, new_key
from callscore.history.checksums import RowChecks
from callscore.history.records import COUNTS

if TYPE_CHECKING:
    from sqlalchemy import Connection

__all__ = [
    "ANSWER_CHECKS",
    "BASELINE_CHECKS",
    "EVALUATION_CHECKS",
    "JUDGEMENT_CHECKS",
    "METADATA",
    "RESULT_CHECKS",
    "RUN_CHECKS",
    "VERSION",
    "answers",
    "baselines",
    "contents",
    "ensure_tables",
    "evaluations",
    "is_current",
    "judgements",
    "payloads",
    "read_hiding_key",
    "require_tables",
    "results",
    "runs",
]

METADATA = MetaData()

# SQLite numbers rows automatically only in an INTEGER column.
_RowNumber = BigInteger().with_variant(Integer(), "sqlite")


def _checksum() -> Column[bytes]:
    """The last column of a table whose rows are verified; only the columns before it are covered."""
    return Column("checksum", LargeBinary(8), nullable=False)


schema_version = Table(
    "callscore_schema", METADATA, Column("version", Integer, primary_key=True, autoincrement=False)
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

# The key of the markers in place of secrets, in one row. It is never exported.
hiding_key = Table(
    "hiding_key", METADATA, Column("key", LargeBinary(KEY_SIZE), primary_key=True), _checksum()
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

ANSWER_CHECKS = RowChecks(answers, "an answer", "question")
BASELINE_CHECKS = RowChecks(baselines, "a baseline", "name")
EVALUATION_CHECKS = RowChecks(evaluations, "an evaluation", "number")
JUDGEMENT_CHECKS = RowChecks(judgements, "a judgement", "key")
KEY_CHECKS = RowChecks(hiding_key, "the key of hidden values", "key")
RESULT_CHECKS = RowChecks(results, "a result", "evaluation")
RUN_CHECKS = RowChecks(runs, "the record of a run", "id")

_EMPTY = {"number": 1, "runs": 0, "runs_sum": bytes(8), "baselines": 0, "baselines_sum": bytes(8)}


VERSION = 5


def is_current(connection: Connection) -> bool:
    """Whether the tables exist, with the current version."""
    has_table = inspect(connection).has_table(schema_version.name)
    return has_table and connection.execute(select(schema_version.c.version)).scalar() == VERSION


def ensure_tables(connection: Connection, place: str) -> None:
    """Create the tables in the current transaction, if there are none.

    Raises:
        UnusableStore: the tables are of another version, or the database is of another program.
    """
    if _are_current(connection, place):
        return
    METADATA.create_all(connection)
    connection.execute(insert(hiding_key).values(KEY_CHECKS.sign({"key": new_key()})))
    connection.execute(insert(schema_version).values(version=VERSION))
    connection.execute(insert(contents).values(_EMPTY))


def read_hiding_key(connection: Connection) -> bytes:
    """The key of the markers in place of secrets."""
    row = connection.execute(select(hiding_key)).one()
    KEY_CHECKS.verify(row)
    return bytes(row.key)


def require_tables(connection: Connection, place: str) -> None:
    """Refuse a read-only database without tables of this version."""
    if not _are_current(connection, place):
        raise UnusableStore(place, "the file is empty and read-only. Move it away.")


def _are_current(connection: Connection, place: str) -> bool:
    """Whether the tables exist; those of another version are refused."""
    found = _stored_version(connection, place)
    if found > VERSION:
        raise UnusableStore(
            place,
            f"written by a newer callscore: its tables have version {found}, and this callscore "
            f"reads versions up to {VERSION}. Upgrade: pip install --upgrade callscore",
        )
    if 0 < found < VERSION:
        raise UnusableStore(
            place,
            f"its tables have version {found}, from before the first release, and this callscore "
            f"reads version {VERSION}. Move it away to create a new one.",
        )
    return found == VERSION


def _stored_version(connection: Connection, place: str) -> int:
    """The version of the tables; 0 if there are none yet."""
    names = set(inspect(connection).get_table_names())
    if schema_version.name in names:
        version = connection.execute(select(schema_version.c.version)).scalar_one()
        if not isinstance(version, int) or version < 1:
            raise UnusableStore(place, "the file is damaged. Restore a copy of it.")
        return version
    # A file must not have other tables; on a server other programs may have theirs beside ours.
    foreign = names if connection.dialect.name == "sqlite" else names & set(METADATA.tables)
    if foreign:
        raise UnusableStore(
            place, "the database belongs to another program. Move it away to create a new one."
        )
    # A new file has one page at most.
    is_file = connection.dialect.name == "sqlite"
    if is_file and connection.exec_driver_sql("PRAGMA page_count").scalar_one() > 1:
        raise UnusableStore(
            place, "the file is damaged: it has data, but no tables. Restore a copy of it."
        )
    return 0
