"""Creates the tables of a history in an SQLite file.

`schema.py` declares the same tables to SQLAlchemy, which creates them on a server. Importing that takes
longer than to score a small file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.history.database import fetch_all, insert_into, insert_row
from callscore.history.records import COUNTS
from callscore.history.tables import (
    CONTENTS,
    EMPTY_CONTENTS,
    VERSION,
    VERSION_TABLE,
)

if TYPE_CHECKING:
    from callscore.history.database import AnyConnection

__all__ = ["TABLE_STATEMENTS", "create_file_tables"]

_COUNTS = "\n    ".join([f"{name} INTEGER" for name in COUNTS])
# A table on one line, then its columns and constraints.
_TABLES = f"""
{VERSION_TABLE}
    version INTEGER NOT NULL
    PRIMARY KEY (version)
runs
    number INTEGER NOT NULL
    id VARCHAR(64) NOT NULL
    command VARCHAR(32) NOT NULL
    status VARCHAR(16) NOT NULL
    started_at DOUBLE NOT NULL
    finished_at DOUBLE
    name TEXT
    arguments TEXT
    versions TEXT
    git_commit VARCHAR(64)
    git_dirty BOOLEAN
    parent VARCHAR(64)
    totals TEXT
    evaluation_count INTEGER
    result_count INTEGER
    seal BLOB
    checksum BLOB NOT NULL
    PRIMARY KEY (number)
    UNIQUE (id)
payloads
    digest BLOB NOT NULL
    body BLOB NOT NULL
    PRIMARY KEY (digest)
judgements
    "key" TEXT NOT NULL
    model TEXT NOT NULL
    answer TEXT NOT NULL
    saved_at DOUBLE NOT NULL
    checksum BLOB NOT NULL
    PRIMARY KEY ("key")
notes
    id VARCHAR(64) NOT NULL
    place TEXT NOT NULL
    case_id TEXT NOT NULL
    text TEXT NOT NULL
    written_at DOUBLE NOT NULL
    checksum BLOB NOT NULL
    PRIMARY KEY (id)
contents
    number INTEGER NOT NULL
    runs INTEGER NOT NULL
    runs_sum BLOB NOT NULL
    baselines INTEGER NOT NULL
    baselines_sum BLOB NOT NULL
    PRIMARY KEY (number)
evaluations
    run INTEGER NOT NULL
    number INTEGER NOT NULL
    name TEXT NOT NULL
    variant TEXT
    place TEXT NOT NULL
    settings TEXT
    scorers TEXT
    fail_under TEXT
    tools BLOB
    summary TEXT
    by_tag TEXT
    checksum BLOB NOT NULL
    PRIMARY KEY (run, number)
    FOREIGN KEY(run) REFERENCES runs (number) ON DELETE CASCADE
results
    number INTEGER NOT NULL
    run INTEGER NOT NULL
    evaluation INTEGER NOT NULL
    case_id TEXT NOT NULL
    trial INTEGER NOT NULL
    position INTEGER
    status VARCHAR(16) NOT NULL
    passed BOOLEAN
    f1 DOUBLE
    {_COUNTS}
    scores TEXT
    tags TEXT
    payload BLOB
    question BLOB
    answer BLOB
    calls BLOB
    failure_kind VARCHAR(16)
    failure TEXT
    seconds DOUBLE NOT NULL
    requests INTEGER NOT NULL
    input_tokens INTEGER NOT NULL
    output_tokens INTEGER NOT NULL
    attempts SMALLINT NOT NULL
    is_reused BOOLEAN NOT NULL
    finished_at DOUBLE NOT NULL
    expectation BLOB
    asked BLOB
    faults INTEGER
    turns INTEGER
    first_wrong_turn INTEGER
    tools TEXT
    comparison BLOB
    made BLOB
    checksum BLOB NOT NULL
    PRIMARY KEY (number)
    FOREIGN KEY(run) REFERENCES runs (number) ON DELETE CASCADE
answers
    number INTEGER NOT NULL
    run INTEGER
    question BLOB NOT NULL
    source BLOB NOT NULL
    trial INTEGER NOT NULL
    answer BLOB
    seconds DOUBLE NOT NULL
    requests INTEGER NOT NULL
    input_tokens INTEGER NOT NULL
    output_tokens INTEGER NOT NULL
    attempts SMALLINT NOT NULL
    asked_at DOUBLE NOT NULL
    checksum BLOB NOT NULL
    PRIMARY KEY (number)
    FOREIGN KEY(run) REFERENCES runs (number) ON DELETE SET NULL
baselines
    run INTEGER NOT NULL
    name TEXT NOT NULL
    set_at DOUBLE NOT NULL
    checksum BLOB NOT NULL
    PRIMARY KEY (name)
    FOREIGN KEY(run) REFERENCES runs (number) ON DELETE CASCADE
stop_requests
    run INTEGER NOT NULL
    requested_at DOUBLE NOT NULL
    PRIMARY KEY (run)
    FOREIGN KEY(run) REFERENCES runs (number) ON DELETE CASCADE
"""
_INDEXES = (
    "CREATE INDEX results_order ON results (run, number)",
    "CREATE UNIQUE INDEX results_case ON results (run, case_id, evaluation, trial)",
    "CREATE INDEX answers_question ON answers (question, source, trial, number)",
    "CREATE INDEX answers_run ON answers (run, question, trial, number)",
    "CREATE INDEX notes_case ON notes (place, case_id)",
)


def _table_statements() -> list[str]:
    tables: dict[str, list[str]] = {}
    name = ""
    for line in _TABLES.split("\n")[1:-1]:
        if line.startswith(" "):
            tables[name].append(line.strip())
        else:
            name = line
            tables[name] = []
    # In the notation of SQLAlchemy, so that all histories are the same.
    between = ", \n\t"
    return [f"CREATE TABLE {name} (\n\t{between.join(tables[name])}\n)" for name in tables]


TABLE_STATEMENTS = (*_table_statements(), *_INDEXES)


def create_file_tables(connection: AnyConnection) -> None:
    """Create the tables in the current transaction; there are none yet."""
    for statement in TABLE_STATEMENTS:
        fetch_all(connection, statement)
    fetch_all(connection, f"INSERT INTO {VERSION_TABLE} VALUES ({VERSION})")  # noqa: S608  (our own name)
    insert_row(connection, insert_into(CONTENTS, is_sqlite=True), EMPTY_CONTENTS)
