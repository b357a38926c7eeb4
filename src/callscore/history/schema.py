"""The tables of a history, their version, and how they are created.

A run has evaluations, an evaluation has results. Long or repeated values (a case, an answer, its calls) are stored
once in `payloads`, by the digest of their text. Answers are also stored by question, so that they can be reused.
`baselines` names the runs that others are compared with.
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
from callscore.history.records import COUNTS

if TYPE_CHECKING:
    from sqlalchemy import Connection

__all__ = [
    "METADATA",
    "NEWEST_FIRST",
    "VERSION",
    "answers",
    "baselines",
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
    Column("started_at", Double, nullable=False, index=True),
    Column("finished_at", Double),
    Column("name", Text, index=True),
    Column("arguments", Text),
    Column("versions", Text),
    Column("git_commit", String(64)),
    Column("git_dirty", Boolean),
    Column("parent", String(64)),
    Column("totals", Text),
)

# By start time: imported runs are as old as they were.
NEWEST_FIRST = (runs.c.started_at.desc(), runs.c.number.desc())

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
)

baselines = Table(
    "baselines",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("run", Integer, ForeignKey("runs.number", ondelete="CASCADE"), nullable=False),
    Column("set_at", Double, nullable=False),
)

# The key of the markers in place of secrets, in one row. It is never exported.
hiding_key = Table("hiding_key", METADATA, Column("key", LargeBinary(KEY_SIZE), primary_key=True))


VERSION = 4


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
    connection.execute(insert(hiding_key).values(key=new_key()))
    connection.execute(insert(schema_version).values(version=VERSION))


def read_hiding_key(connection: Connection) -> bytes:
    """The key of the markers in place of secrets."""
    key: bytes = connection.execute(select(hiding_key.c.key)).scalar_one()
    return bytes(key)


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
        version: int = connection.execute(select(schema_version.c.version)).scalar_one()
        return version
    # A file must not have other tables; on a server other programs may have theirs beside ours.
    foreign = names if connection.dialect.name == "sqlite" else names & set(METADATA.tables)
    if foreign:
        raise UnusableStore(
            place, "the database belongs to another program. Move it away to create a new one."
        )
    return 0
