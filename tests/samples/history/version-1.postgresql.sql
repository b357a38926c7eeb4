-- The tables of version 1 on a server, as the program of commit 02f0cce makes them.
CREATE TABLE callscore_schema (
    version INTEGER NOT NULL,
    PRIMARY KEY (version)
);

CREATE TABLE judgements (
    key TEXT NOT NULL,
    model TEXT NOT NULL,
    answer TEXT NOT NULL,
    kept_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (key)
);

CREATE TABLE payloads (
    digest BYTEA NOT NULL,
    body BYTEA NOT NULL,
    PRIMARY KEY (digest)
);

CREATE TABLE runs (
    number SERIAL NOT NULL,
    id VARCHAR(64) NOT NULL,
    command VARCHAR(32) NOT NULL,
    status VARCHAR(16) NOT NULL,
    started_at DOUBLE PRECISION NOT NULL,
    finished_at DOUBLE PRECISION,
    name TEXT,
    arguments TEXT,
    versions TEXT,
    git_commit VARCHAR(64),
    git_dirty BOOLEAN,
    parent VARCHAR(64),
    totals TEXT,
    PRIMARY KEY (number),
    UNIQUE (id)
);

CREATE INDEX ix_runs_name ON runs (name);

CREATE TABLE answers (
    number BIGSERIAL NOT NULL,
    run INTEGER,
    question BYTEA NOT NULL,
    source BYTEA NOT NULL,
    trial INTEGER NOT NULL,
    answer BYTEA,
    seconds DOUBLE PRECISION NOT NULL,
    requests INTEGER NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    attempts SMALLINT NOT NULL,
    asked_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (number),
    FOREIGN KEY(run) REFERENCES runs (number) ON DELETE SET NULL
);

CREATE INDEX answers_question ON answers (question, source, trial, number);

CREATE INDEX answers_run ON answers (run, question, trial, number);

CREATE TABLE evaluations (
    run INTEGER NOT NULL,
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    variant TEXT,
    place TEXT NOT NULL,
    settings TEXT,
    scorers TEXT,
    thresholds TEXT,
    tools BYTEA,
    summary TEXT,
    PRIMARY KEY (run, number),
    FOREIGN KEY(run) REFERENCES runs (number) ON DELETE CASCADE
);

CREATE TABLE results (
    number BIGSERIAL NOT NULL,
    run INTEGER NOT NULL,
    evaluation INTEGER NOT NULL,
    case_id TEXT NOT NULL,
    trial INTEGER NOT NULL,
    status VARCHAR(16) NOT NULL,
    passed BOOLEAN,
    f1 DOUBLE PRECISION,
    correct INTEGER,
    incorrect INTEGER,
    missed INTEGER,
    extra INTEGER,
    expected INTEGER,
    actual INTEGER,
    forbidden INTEGER,
    scores TEXT,
    tags TEXT,
    payload BYTEA,
    question BYTEA,
    answer BYTEA,
    calls BYTEA,
    failure_kind VARCHAR(16),
    failure TEXT,
    seconds DOUBLE PRECISION NOT NULL,
    requests INTEGER NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    attempts SMALLINT NOT NULL,
    is_reused BOOLEAN NOT NULL,
    finished_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (number),
    FOREIGN KEY(run) REFERENCES runs (number) ON DELETE CASCADE
);

CREATE UNIQUE INDEX results_case ON results (run, evaluation, case_id, trial);

CREATE INDEX results_order ON results (run, number);

