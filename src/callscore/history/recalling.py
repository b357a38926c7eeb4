"""Finds answers by what was asked, and judgements by what was judged."""

from __future__ import annotations

from time import time
from typing import TYPE_CHECKING, Any

import msgspec

from callscore.history.packing import clean_text, json_bytes, pack_digest
from callscore.history.rows import answer_record
from callscore.history.statements import (
    ANSWER,
    ANSWER_IN_RUN,
    JUDGEMENT,
    add_rows,
    inserts_for,
)

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from callscore.history.records import AnswerRecord

__all__ = ["add_judgement", "answer_of_run", "answer_to", "judgement_under"]


def answer_to(
    connection: Connection, question: str, source: str, trial: int
) -> AnswerRecord | None:
    """The newest answer to a question, whatever run it was for."""
    asked = {"question": pack_digest(question), "source": pack_digest(source), "trial": trial}
    row = connection.execute(ANSWER, asked).first()
    return None if row is None else answer_record(row)


def answer_of_run(
    connection: Connection, number: int, question: str, trial: int
) -> AnswerRecord | None:
    """The answer to a question that was asked in the run of this number."""
    asked = {"run": number, "question": pack_digest(question), "trial": trial}
    row = connection.execute(ANSWER_IN_RUN, asked).first()
    return None if row is None else answer_record(row)


def judgement_under(connection: Connection, key: str) -> Any | None:
    """What a judge answered; None where it was not asked."""
    text = connection.execute(JUDGEMENT, {"key": clean_text(key)}).scalar()
    return None if text is None else msgspec.json.decode(text)


def add_judgement(connection: Connection, key: str, model: str, answer: Any) -> None:
    """Keep what a judge answered, in place of what it answered before."""
    row = {
        "key": clean_text(key),
        "model": clean_text(model),
        "answer": json_bytes(answer).decode(),
        "kept_at": time(),
    }
    add_rows(connection, inserts_for(connection.dialect).judgement, [row])
