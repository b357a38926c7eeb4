"""Records of runs that never were, and a program that writes them."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from callscore.core.results import MetricValue, Usage
from callscore.history.database import fetch_all
from callscore.history.opening import open_store
from callscore.history.records import AnswerRecord, EvaluationRecord, ResultRecord, RunRecord
from callscore.history.writer import RunWriter

if TYPE_CHECKING:
    from callscore.history.store import Store

__all__ = ["a_result", "a_run", "an_answer", "an_evaluation", "fill_up", "main"]


def a_run(run: str = "20261115-184354-k3f9", **others: Any) -> RunRecord:
    fields: dict[str, Any] = {"id": run, "command": "run", "started_at": 1_794_768_234.5}
    return RunRecord(**fields | others)


def an_evaluation(run: str, number: int = 0, **others: Any) -> EvaluationRecord:
    fields: dict[str, Any] = {"run": run, "number": number, "name": "assistant"}
    return EvaluationRecord(**fields | others)


def an_answer(run: str = "", question: str = "00ff", **others: Any) -> AnswerRecord:
    fields: dict[str, Any] = {
        "run": run,
        "question": question,
        "source": "",
        "trial": 1,
        "answer": {"role": "assistant", "content": f"The answer to {question}"},
        "seconds": 0.25,
        "usage": Usage(1, 81, 17),
        "asked_at": 1_794_768_235.0,
    }
    return AnswerRecord(**fields | others)


def a_result(run: str, case: str = "weather", **others: Any) -> ResultRecord:
    fields: dict[str, Any] = {
        "run": run,
        "evaluation": 0,
        "case": case,
        "status": "scored",
        "payload": {"input": f"What about {case}?", "expected": ["search"], "tags": ["smoke"]},
        "question": "00ff",
        "answer": {"role": "assistant", "content": f"It is {case}"},
        "calls": [{"name": "search", "arguments": {"about": case}}],
        "f1": 1.0,
        "counts": (1, 0, 0, 0, 1, 1, 0),
        "passed": True,
        "values": (MetricValue("accuracy", 1.0), MetricValue("polite", None, "not asked")),
        "seconds": 0.25,
        "usage": Usage(1, 81, 17),
        "finished_at": 1_794_768_236.0,
    }
    return ResultRecord(**fields | others)


def fill_up(store: Store, pages: int) -> None:
    """Let the disk be full after so many more pages."""
    with store.reading() as connection:
        [(used,)] = fetch_all(connection, "PRAGMA page_count")
        fetch_all(connection, f"PRAGMA max_page_count = {used + pages}")


def main(path: str, run: str, count: str) -> None:
    """Write as many answers and results of a new run, and print each as soon as it is kept."""
    with open_store(path) as store:
        begun = store.begin(a_run(run, started_at=float(os.getpid())))
        store.add_evaluation(an_evaluation(begun.id))
        writer = RunWriter(store, begun)
        for number in range(int(count)):
            question = f"{number:08x}"

            def tell(said: str = f"{question}\n") -> None:
                os.write(1, said.encode())

            writer.put(an_answer(begun.id, question), tell)
            writer.put(a_result(begun.id, f"case-{number}", question=question))
            if number % 50 == 0:
                writer.flush_soon()
        writer.close()
        if writer.problems:
            sys.exit(" ".join(writer.problems))


if __name__ == "__main__":
    main(*sys.argv[1:])
