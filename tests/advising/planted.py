"""Runs whose labels follow a known rule, so that the right advice is known."""

from __future__ import annotations

from random import Random
from typing import Any

from callscore import Case, Settings, ToolCall
from callscore.advising.choosing import Sample
from callscore.advising.runs import LabelledInput, LabelledRun, Runs

__all__ = ["BASE", "case_records", "labelled", "sample_of"]

BASE = Settings()


def _call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def _saved(key: str) -> dict[str, Any]:
    return _call("save", key=key, note="as agreed", mode="all")


_Calls = list[dict[str, Any]]


def _with_read(
    random: Random, expected: _Calls, actual: _Calls, *, success: bool
) -> tuple[_Calls, _Calls]:
    del success
    pages = [random.randrange(99) for _ in range(random.randrange(4))]
    made = [_call("consult", page=page) for page in pages]
    return [_call("consult", page=1), *expected], [*made, *actual]


def _with_argument(
    random: Random, expected: _Calls, actual: _Calls, *, success: bool
) -> tuple[_Calls, _Calls]:
    del success
    notes = ("as agreed", "ok", "done")
    made = [
        _call("save", **(call["arguments"] | {"note": random.choice(notes)})) for call in actual
    ]
    return expected, made


def _with_extra(
    random: Random, expected: _Calls, actual: _Calls, *, success: bool
) -> tuple[_Calls, _Calls]:
    del random, actual
    return expected, expected if success else [*expected, _saved("another")]


def _with_free(
    random: Random, expected: _Calls, actual: _Calls, *, success: bool
) -> tuple[_Calls, _Calls]:
    del success
    return expected, [*actual, *[_saved(f"x{each}") for each in range(random.randrange(4))]]


_KINDS = {
    "read": _with_read,
    "argument": _with_argument,
    "extra": _with_extra,
    "free": _with_free,
}


def case_records(
    kind: str, *, tasks: int = 40, trials: int = 3, seed: int = 1
) -> list[dict[str, Any]]:
    """Runs of tasks in which `save` must be called with two keys, and one more thing.

    The kind says what else there is: `read` (a tool whose calls have nothing to do with success, and
    whose name does not say so), `argument` (a note that differs at random), `extra` (an extra call
    that spoils the task), `free` (extra calls that do not), `random` (labels that follow nothing), or
    `plain`.
    """
    random = Random(seed)
    records = []
    for task in range(tasks):
        for trial in range(trials):
            success = random.random() < 0.5
            expected = [_saved(f"a{task}"), _saved(f"b{task}")]
            actual = [*expected[:1], _saved(f"b{task}" if success else "wrong")]
            if kind in _KINDS:
                expected, actual = _KINDS[kind](random, expected, actual, success=success)
            elif kind == "random":
                success = random.random() < 0.5
            records.append(
                {
                    "id": f"task{task}",
                    "trial": trial,
                    "expected": expected,
                    "actual": actual,
                    "success": success,
                }
            )
    return records


def labelled(records: list[dict[str, Any]]) -> LabelledInput:
    """The runs of records."""
    runs = []
    for number, record in enumerate(records):
        expected, actual = (
            tuple([ToolCall(**call) for call in record[side]]) for side in ("expected", "actual")
        )
        case = Case(id=record["id"], trial=record["trial"], expected=expected, actual=actual)
        runs.append(LabelledRun(case, record["success"], f"runs.jsonl:{number + 1}"))
    return LabelledInput(tuple(runs))


def sample_of(records: list[dict[str, Any]]) -> Sample:
    """All runs of records."""
    return Sample(Runs(labelled(records).runs), BASE)
