"""Runs as lines: what is written comes back, and what is damaged is told with its line."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.history.made_up import a_result, a_run, an_answer, an_evaluation

from callscore.core.results import MetricValue, Usage
from callscore.errors import UnreadableInput
from callscore.history.exchange.json_lines import (
    Record,
    encode_line,
    end_line,
    read_lines,
    record_from,
)

RUN = a_run(name="main", arguments={"paths": ["evals"]}, git_commit="0" * 40, totals={"cases": 2})
EVALUATION = an_evaluation(RUN.id, scorers=("accuracy",), fail_under={"accuracy": 0.5})
RESULT = a_result(
    RUN.id,
    comparison={"pairs": [[0, 0, True]], "missed": []},
    tools={"search": (1, 0, 0, 0, 0)},
    faults=0,
    expectation="0" * 32,
    asked="f" * 32,
)
HEAD = encode_line(RUN)

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


def read(*lines: bytes) -> list[Any]:
    return list(read_lines(lines, "run.jsonl"))


def problem_of(record: Record) -> str:
    """Why a record from a file is refused."""
    with pytest.raises(UnreadableInput) as caught:
        record_from(type(record), msgspec.to_builtins(record), "run.jsonl:1")
    return str(caught.value)


def test_every_record_comes_back_as_it_was() -> None:
    failed = a_result(RUN.id, "other", status="error", failure=("timeout", "too long"), answer=None)
    broken = a_result(RUN.id, "third", values=(MetricValue("mine", None, "it raises", True),))
    records: list[Record] = [RUN, EVALUATION, RESULT, failed, broken, an_answer(RUN.id)]

    assert read(*map(encode_line, records)) == records


@given(PLAIN, PLAIN)
def test_whatever_was_asked_and_answered_comes_back(asked: Any, answer: Any) -> None:
    record = a_result(RUN.id, payload={"input": asked}, answer=answer)
    line = encode_line(record)
    if b'"\\u' not in line and asked == asked:  # noqa: PLR0124  (infinities become null)
        decoded = msgspec.json.decode(line)["result"]
        (_, found) = read(HEAD, line)

        assert found.payload == decoded["payload"]
        assert found.answer == decoded["answer"]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b'{"result": {"case"', "damaged"),
        (b'"\\ud800"', "damaged"),
        (b"[" * 100_000, "damaged"),
        (b"{}", "not part of an exported run"),
        (b'{"result": {"run": "a", "evaluation": 0, "case": "a", "status": "odd"}}', "odd"),
    ],
)
def test_a_damaged_line_is_told_with_its_number(line: bytes, told: str) -> None:
    with pytest.raises(UnreadableInput, match=r"run\.jsonl:3: ") as caught:
        read(HEAD, encode_line(EVALUATION), line)

    assert told in str(caught.value)


# --- the end --------------------------------------------------------------------------------------

ENDING = [
    encode_line(a_run(), has_end=True),
    encode_line(an_evaluation(a_run().id)),
    encode_line(a_result(a_run().id)),
    end_line(evaluations=1, results=1),
]


@pytest.mark.parametrize("lines", [ENDING[:3], ENDING[:1], [*ENDING[:2], *ENDING]])
def test_a_file_that_was_cut_off_is_refused(lines: list[bytes]) -> None:
    with pytest.raises(UnreadableInput, match="the file is cut off"):
        list(read_lines(lines, "runs.jsonl"))


# Records of others: what no column holds, or could harm, is refused.


@pytest.mark.parametrize(
    "name",
    [
        "",
        "../up",
        "-o",
        "latest",
        "прогон",
    ],
)
def test_an_id_names_no_other_file_and_no_option(name: str) -> None:
    assert "is not the id of a run" in problem_of(a_run(name))
    assert "parent: " in problem_of(a_run(parent=name))


@pytest.mark.parametrize(
    ("others", "told"),
    [
        ({"totals": {"cases": "many"}}, "Expected `int`, got `str` - at `$.totals.cases`."),
        ({"name": "latest~1"}, "name: "),
        ({"command": "score", "arguments": {"cases": "c.jsonl"}}, "at `$.arguments.cases`."),
        ({"git_commit": "x" * 65}, "Expected `str` of length <= 64 - at `$.git_commit`."),
        ({"finished_at": float("nan")}, "at `$.finished_at`."),
    ],
)
def test_a_run_fits_its_columns(others: dict[str, Any], told: str) -> None:
    assert told in problem_of(a_run(**others))


@pytest.mark.parametrize(
    ("others", "told"),
    [
        ({"evaluation": -1}, "result: Expected `int` >= 0 - at `$.evaluation`."),
        ({"payload": {"tags": "smoke"}}, "at `$.payload.tags`."),
        ({"f1": float("nan")}, "at `$.f1`."),
        ({"trial": 2**31}, "at `$.trial`."),
        ({"faults": -1}, "at `$.faults`."),
        ({"finished_at": 1e12}, "at `$.finished_at`."),
        ({"counts": (1, 2)}, "counts: 2 numbers instead of 7."),
        ({"expectation": "0" * 31}, "at `$.expectation`."),
        ({"tools": {"f": (-1, 0, 0, 0, 0)}}, "at `$.tools[...][0]`."),
        ({"usage": Usage(-1)}, "at `$.usage.requests`."),
        ({"comparison": {"correct": 1}}, "at `$.comparison.correct`."),
    ],
)
def test_a_result_fits_its_columns(others: dict[str, Any], told: str) -> None:
    assert told in problem_of(a_result("run", **others))


@pytest.mark.parametrize(
    ("others", "told"),
    [
        ({"summary": {"cases": -1}}, "at `$.summary.cases`."),
        ({"settings": {"order": "odd"}}, "settings: "),
        ({"settings": {"arguments": "odd"}}, "settings: "),
        ({"summary": {"counts": {}}}, "counts: the evaluation has no scorer."),
    ],
)
def test_an_evaluation_can_be_shown(others: dict[str, Any], told: str) -> None:
    assert told in problem_of(an_evaluation("run", **others))
