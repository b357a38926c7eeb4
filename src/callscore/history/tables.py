"""The tables of a history, in words that every database understands.

A run has evaluations, an evaluation has results. What is long or repeats, a case, an answer, the
calls in it, stands in `payloads`, once, under the digest of its text. Answers stand also by what was
asked, for those who ask the same again. What others compare with has a name in `baselines`.
"""

from __future__ import annotations

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
)

__all__ = [
    "COUNTS",
    "METADATA",
    "NEWEST_FIRST",
    "answers",
    "baselines",
    "evaluations",
    "judgements",
    "payloads",
    "results",
    "runs",
    "schema",
]

METADATA = MetaData()

# SQLite numbers rows by itself only where their number is called an integer.
_Number = BigInteger().with_variant(Integer(), "sqlite")

# The counts of a result, in the order in which a record has them.
COUNTS = ("correct", "incorrect", "missed", "extra", "expected", "actual", "forbidden")

schema = Table(
    "callscore_schema",
    METADATA,
    Column("version", Integer, primary_key=True, autoincrement=False),
)

runs = Table(
    "runs",
    METADATA,
    Column("number", Integer, primary_key=True),
    Column("id", String(64), nullable=False, unique=True),
    Column("command", String(32), nullable=False),
    Column("status", String(16), nullable=False),
    # An index since version 2.
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

# What is imported, or written late, is as old as the run was.
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
    Column("thresholds", Text),
    Column("tools", LargeBinary(16)),
    Column("summary", Text),
)

# Digests of payloads are not declared as references: thousands of checks a second would find that
# the payload is there, for it is written in the same transaction.
results = Table(
    "results",
    METADATA,
    Column("number", _Number, primary_key=True),
    Column("run", Integer, ForeignKey("runs.number", ondelete="CASCADE"), nullable=False),
    Column("evaluation", Integer, nullable=False),
    Column("case_id", Text, nullable=False),
    Column("trial", Integer, nullable=False),
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
    # What was called, without what is another in every run: the ids of the calls, their results.
    Column("made", LargeBinary(16)),
    # The case comes before the evaluation: people ask for it without saying which.
    Index("results_case", "run", "case_id", "evaluation", "trial", unique=True),
    Index("results_order", "run", "number"),
)

answers = Table(
    "answers",
    METADATA,
    Column("number", _Number, primary_key=True),
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
    Column("kept_at", Double, nullable=False),
)

# Since version 2.
baselines = Table(
    "baselines",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("run", Integer, ForeignKey("runs.number", ondelete="CASCADE"), nullable=False),
    Column("set_at", Double, nullable=False),
)
