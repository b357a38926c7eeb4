"""Runs as lines: what is written comes back, and what is damaged is told with its line."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.history.made_up import a_result, a_run, an_answer, an_evaluation

from callscore.core.results import MetricValue, Usage
from callscore.core.settings import Settings
from callscore.engines.payloads import settings_payload
from callscore.errors import UnreadableInput
from callscore.history.exchange.json_lines import (
    VERSION,
    Record,
    encode_line,
    end_line,
    read_lines,
    record_problem,
)
from callscore.history.records import ResultRecord

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


def test_every_record_comes_back_as_it_was() -> None:
    failed = a_result(RUN.id, "other", status="error", failure=("timeout", "too long"), answer=None)
    broken = a_result(RUN.id, "third", values=(MetricValue("mine", None, "it raises", True),))
    records: list[Record] = [RUN, EVALUATION, RESULT, failed, broken, an_answer(RUN.id)]

    assert read(*map(encode_line, records)) == records


def test_a_line_is_one_line_of_json_and_the_first_says_what_it_is() -> None:
    first = msgspec.json.decode(HEAD)

    assert (first["callscore"], first["version"]) == ("run", VERSION)
    assert HEAD.endswith(b"\n")
    assert HEAD.count(b"\n") == encode_line(RESULT).count(b"\n") == 1


@given(PLAIN, PLAIN)
def test_whatever_was_asked_and_answered_comes_back(asked: Any, answer: Any) -> None:
    record = a_result(RUN.id, payload={"input": asked}, answer=answer)
    line = encode_line(record)
    if b'"\\u' not in line and asked == asked:  # noqa: PLR0124  (infinities become null)
        decoded = msgspec.json.decode(line)["result"]
        (_, found) = read(HEAD, line)

        assert found.payload == decoded["payload"]
        assert found.answer == decoded["answer"]


def test_what_json_does_not_know_becomes_text() -> None:
    record = a_result(
        RUN.id,
        "\ud800",
        answer={1, 2},
        values=(MetricValue("accuracy", 1.0),),
        usage=Usage(1, 2, 3),
    )

    (_, found) = read(HEAD, encode_line(record))

    assert found.case == "\\ud800"
    assert found.values == record.values
    assert found.usage == record.usage
    assert isinstance(found.answer, str)


def test_the_parts_belong_to_the_run_before_them() -> None:
    second = a_run("20261115-184354-zzzz")
    strange = a_result("somebody-else")

    found = read(HEAD, encode_line(strange), b"\n", encode_line(second), encode_line(strange))

    assert [record.run for record in found if isinstance(record, ResultRecord)] == [
        RUN.id,
        second.id,
    ]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b'{"result": {"case"', "damaged"),
        (b"\xff\xfe", "damaged"),
        (b'"\\ud800"', "damaged"),
        (b"[" * 100_000, "damaged"),
        (b"[]", "not part of an exported run"),
        (b"{}", "not part of an exported run"),
        (b'{"result": {}, "evaluation": {}}', "not part of an exported run"),
        (b'{"callscore": "run", "version": 1, "result": {}}', "not part of an exported run"),
        (b'{"run": {"id": "a"}}', "not part of an exported run"),
        (b'{"result": {"case": 1}}', "result:"),
        (b'{"result": {"run": "a", "evaluation": 0, "case": "a", "status": "odd"}}', "odd"),
        (b'{"evaluation": []}', "evaluation:"),
    ],
)
def test_a_damaged_line_is_told_with_its_number(line: bytes, told: str) -> None:
    with pytest.raises(UnreadableInput, match=r"run\.jsonl:3: ") as caught:
        read(HEAD, encode_line(EVALUATION), line)

    assert told in str(caught.value)


def test_what_a_newer_program_has_written_is_refused_before_it_is_looked_at() -> None:
    with pytest.raises(
        UnreadableInput, match=r"run.jsonl:1: written by a newer callscore.* Upgrade"
    ):
        read(b'{"callscore": "run", "version": 2, "run": "something new"}')


@pytest.mark.parametrize("version", [b"0", b"null", b'"1"'])
def test_a_version_is_a_number_from_1_on(version: bytes) -> None:
    with pytest.raises(UnreadableInput, match="not a valid number"):
        read(b'{"callscore": "run", "version": ' + version + b', "run": {}}')


def test_a_file_of_cases_is_no_run() -> None:
    with pytest.raises(UnreadableInput, match="the first line is not a run"):
        read(b'{"id": "a", "expected": [], "actual": []}')


def test_nothing_is_no_run() -> None:
    with pytest.raises(UnreadableInput, match="the file has no run"):
        read(b"\n", b"  \n")


def test_it_is_told_how_much_was_read() -> None:
    told: list[int] = []

    list(read_lines([HEAD, b"\n"], "run.jsonl", told.append))

    assert told == [len(HEAD), 1]


# --- the end --------------------------------------------------------------------------------------

ENDING = [
    encode_line(a_run(), has_end=True),
    encode_line(an_evaluation(a_run().id)),
    encode_line(a_result(a_run().id)),
    end_line(evaluations=1, results=1),
]


def test_what_has_its_end_is_whole() -> None:
    assert len(list(read_lines([*ENDING, *ENDING], "runs.jsonl"))) == 6


@pytest.mark.parametrize("lines", [ENDING[:3], ENDING[:1], [*ENDING[:2], *ENDING]])
def test_what_was_cut_off_is_refused(lines: list[bytes]) -> None:
    with pytest.raises(UnreadableInput, match="the file is cut off"):
        list(read_lines(lines, "runs.jsonl"))


def test_a_line_that_is_missing_in_between_is_noticed() -> None:
    with pytest.raises(UnreadableInput, match=r"runs.jsonl:3: the file is incomplete: 1 .* and 0 "):
        list(read_lines([*ENDING[:2], ENDING[3]], "runs.jsonl"))


def test_an_end_says_numbers() -> None:
    with pytest.raises(UnreadableInput, match="end: "):
        list(read_lines([ENDING[0], b'{"end": {"results": "many"}}'], "runs.jsonl"))


# Records of others: what no column holds, or could harm, is refused.


def test_what_we_write_ourselves_is_sound() -> None:
    run = a_run(parent="20261115-184354-b2c4", finished_at=1_794_768_240.0, git_commit="a" * 40)
    result = a_result(
        run.id,
        faults=2,
        tools={"f": (1, 0, 0, 0, 0)},
        expectation="ab" * 16,
        failure=("raised", ""),
    )

    settings = settings_payload(Settings(strip_prefix=("a.",), effects=(("get_*", "read"),)))
    evaluation = an_evaluation(run.id, settings=settings)
    for record in (run, evaluation, result, an_answer(run.id)):
        assert record_problem(record) is None


@pytest.mark.parametrize(
    "name", ["", "../up", "a/b", "a\\b", "-o", ".hidden", "latest", "a" * 65, "a\n", "прогон"]
)
def test_an_id_names_no_other_file_and_no_option(name: str) -> None:
    assert "is not the id of a run" in str(record_problem(a_run(name)))
    assert "parent: " in str(record_problem(a_run(parent=name)))


@pytest.mark.parametrize(
    ("others", "told"),
    [
        ({"totals": {"cases": "many"}}, "totals: "),
        ({"totals": {"scorers": [{"name": "a", "mean": "b"}]}}, "totals: "),
        ({"totals": {"macro_f1_interval": [0.5]}}, "totals: "),
        ({"totals": {"answered": -1}}, "totals: "),
        ({"totals": {"passed_share": 1.5}}, "totals: "),
        ({"totals": {"macro_f1_interval": [0.5, 7.0]}}, "totals: "),
        ({"name": "latest~1"}, "name: "),
        ({"name": "-o"}, "name: "),
        ({"command": "score", "arguments": {"cases": "cases.jsonl"}}, "arguments: "),
        ({"command": "score", "arguments": {"actual": [7]}}, "arguments: "),
        ({"arguments": {"paths": "evals"}}, "arguments: "),
        ({"arguments": {"cases": ["a"]}}, "arguments: "),
        ({"command": "x" * 33}, "command: "),
        ({"git_commit": "x" * 65}, "git_commit: "),
        ({"started_at": -1.0}, "started_at: "),
        ({"started_at": 1e300}, "started_at: "),
        ({"finished_at": float("nan")}, "finished_at: "),
    ],
)
def test_a_run_fits_its_columns(others: dict[str, Any], told: str) -> None:
    assert str(record_problem(a_run(**others))).startswith(told)


@pytest.mark.parametrize(
    ("others", "told"),
    [
        ({"evaluation": -1}, "evaluation: "),
        ({"payload": {"tags": "smoke"}}, "payload: "),
        ({"payload": {"expected": 7}}, "payload: "),
        ({"comparison": {"pairs": [[0, 0]]}}, "comparison: "),
        ({"comparison": {"differences": [{"pair": 0}]}}, "comparison: "),
        ({"f1": 1.5}, "f1: "),
        ({"f1": float("nan")}, "f1: "),
        ({"values": (MetricValue("accuracy", float("inf")),)}, "values: "),
        ({"trial": 2**31}, "trial: "),
        ({"faults": -1}, "faults: "),
        ({"counts": (1, 2, 3)}, "counts: 3 numbers"),
        ({"counts": (-1, 0, 0, 0, 0, 0, 0)}, "counts: -1"),
        ({"tools": {"f": (0, 0, 0, 0, 2**40)}}, "counts: "),
        ({"failure": ("k" * 17, "")}, "failure: "),
        ({"expectation": "not hexadecimal"}, "expectation: "),
        ({"asked": "ABCD" * 8}, "asked: "),
        ({"attempts": 40_000}, "attempts: "),
        ({"seconds": -0.5}, "seconds: "),
        ({"usage": Usage(1, -2, 3)}, "usage: input_tokens"),
        ({"finished_at": 1e12}, "finished_at: "),
    ],
)
def test_a_result_fits_its_columns(others: dict[str, Any], told: str) -> None:
    assert str(record_problem(a_result("run", **others))).startswith(told)


def test_an_evaluation_and_an_answer_fit_theirs() -> None:
    assert str(record_problem(an_evaluation("run", -1))).startswith("number: ")
    assert str(record_problem(an_evaluation("run", summary={"passed": None}))).startswith(
        "summary: "
    )
    odd = an_evaluation("run", settings={"arguments": [7]})
    assert str(record_problem(odd)).startswith("settings: ")
    assert "'nonsense'" in str(record_problem(an_evaluation("run", settings={"nonsense": 1})))
    assert "settings: " in str(record_problem(an_evaluation("run", settings={"mode": "lenient"})))
    endless = an_evaluation("run", fail_under={"accuracy": float("inf")})
    assert str(record_problem(endless)).startswith("fail_under: ")
    assert str(record_problem(an_answer("run", trial=-1))).startswith("trial: ")
    assert str(record_problem(an_answer("run", asked_at=-1.0))).startswith("asked_at: ")
