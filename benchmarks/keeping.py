"""Answers and results to be kept, as a run keeps them, against writing their texts by hand."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import msgspec
import timing
from rows import Row

from callscore.core.results import MetricValue
from callscore.history.opening import open_store
from callscore.history.records import AnswerRecord, EvaluationRecord, ResultRecord, RunRecord
from callscore.history.writer import RunWriter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rows import Inputs

__all__ = ["cost_of_keeping", "rows"]

RUN = "20261115-184354-k3f9"
AT_ONCE = 250  # how many a writer that is kept busy has in one transaction

BAR = 120.0


def rows(inputs: Inputs) -> Iterator[Row]:
    """Every row of this subject."""
    count = 5 * inputs.effort.few_cases
    yield Row(
        "run-save",
        "run: saving an answer and its result, one of many",
        BAR,
        lambda rounds: cost_of_keeping(count, rounds),
        "us",
    )


def cost_of_keeping(count: int, rounds: int) -> timing.Measured:
    """What it costs to keep an answer and its result, against two bare inserts of their JSON."""
    pairs = [_pair(number) for number in range(count)]

    def by_writer() -> None:
        with TemporaryDirectory() as folder, open_store(Path(folder) / "history.db") as store:
            run = store.begin(RunRecord(id=RUN, command="run", started_at=0.0))
            store.add_evaluation(EvaluationRecord(run=RUN, number=0, name="assistant"))
            with closing(RunWriter(store, run)) as writer:
                for answer, result in pairs:
                    writer.put(answer)
                    writer.put(result)
            if writer.problems:
                raise SystemExit(*writer.problems)

    def by_hand() -> None:
        with TemporaryDirectory() as folder:
            bare = sqlite3.connect(Path(folder) / "bare.db", isolation_level=None)
            bare.execute("PRAGMA journal_mode = WAL")
            bare.execute("PRAGMA synchronous = NORMAL")
            bare.execute("CREATE TABLE answers (question TEXT PRIMARY KEY, body BLOB)")
            bare.execute("CREATE TABLE results (case_id TEXT PRIMARY KEY, body BLOB)")
            for start in range(0, count, AT_ONCE):
                some = pairs[start : start + AT_ONCE]
                answers = [(one.question, msgspec.json.encode(one)) for one, _ in some]
                results = [(one.case, msgspec.json.encode(one)) for _, one in some]
                bare.execute("BEGIN IMMEDIATE")
                bare.executemany("INSERT INTO answers VALUES (?, ?)", answers)
                bare.executemany("INSERT INTO results VALUES (?, ?)", results)
                bare.execute("COMMIT")
            bare.close()

    return timing.compare(timing.cpu(by_writer), timing.cpu(by_hand), rounds, scale=1e6 / count)


def _pair(number: int) -> tuple[AnswerRecord, ResultRecord]:
    question, document = f"{number:032x}", _document(number)
    arguments = {"location": f"Paris {number}", "unit": "celsius"}
    answer = AnswerRecord(
        run=RUN, question=question, source="", trial=1, answer=document, seconds=0.3
    )
    result = ResultRecord(
        run=RUN,
        evaluation=0,
        case=f"what-is-the-weather-in-paris-{number}",
        status="scored",
        payload={"input": f"Weather in Paris {number}?", "expected": ["getWeather"]},
        question=question,
        answer=document,
        calls=[{"name": "getWeather", "arguments": arguments}],
        f1=1.0,
        counts=(1, 0, 0, 0, 1, 1, 0),
        passed=True,
        values=(MetricValue("accuracy", 1.0), MetricValue("tool_called", 1.0)),
        seconds=0.3,
    )
    return answer, result


def _document(number: int) -> dict[str, Any]:
    """A response as long as those of real servers."""
    function = {"name": "getWeather", "arguments": f'{{"location": "Paris {number}"}}'}
    call = {"id": f"call_{number * 7919:024x}", "type": "function", "function": function}
    message = {"role": "assistant", "content": None, "refusal": None, "tool_calls": [call]}
    details = {"reasoning_tokens": 0, "audio_tokens": 0, "accepted_prediction_tokens": 0}
    return {
        "id": f"chatcmpl-{number * 104729:029x}",
        "object": "chat.completion",
        "created": 1_794_768_234 + number,
        "model": "gpt-4.1-mini-2025-04-14",
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
        "usage": {
            "prompt_tokens": 81,
            "completion_tokens": 17,
            "total_tokens": 98,
            "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
            "completion_tokens_details": details,
        },
        "service_tier": "default",
        "system_fingerprint": "fp_38343a2f8f",
    }
