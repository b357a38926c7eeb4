"""The program that holds us against recorded answers."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.parity.agreement import same
from tests.parity.check import main

if TYPE_CHECKING:
    from pathlib import Path

CALL = {"name": "a", "arguments": {}}


def _folder(path: Path, results: dict[str, Any], tool: str = "strands") -> str:
    case = {"id": "one", "expected": [CALL], "actual": [CALL]}
    (path / "cases.json").write_bytes(msgspec.json.encode([case]))
    (path / f"{tool}.json").write_bytes(msgspec.json.encode({"results": results}))
    return str(path)


def test_an_agreement_is_counted_and_exits_with_0(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([_folder(tmp_path, {"one": {"exact/names": 1.0}})]) == 0
    assert capsys.readouterr().out == "1 tools: 1 of 1 answers agree; 0 cannot be compared.\n"


def test_a_disagreement_is_printed_and_exits_with_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([_folder(tmp_path, {"one": {"exact/names": 0.5}})]) == 1
    assert "strands  exact/names  one\n    theirs 0.5\n    ours   1.0" in capsys.readouterr().out


@pytest.mark.parametrize("tool", ["strands", "nobody"])
def test_a_recorded_answer_of_an_unknown_tool_or_metric_is_printed(
    tool: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([_folder(tmp_path, {"one": {"upside down": 1.0}}, tool)]) == 0
    assert f"{tool}  upside down: not known here" in capsys.readouterr().out


def test_a_case_that_is_not_there_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([_folder(tmp_path, {"two": {"exact/names": 1.0}})]) == 0
    assert "two: there is no such case in cases.json" in capsys.readouterr().out


def test_a_malformed_call_in_a_case_counts_as_a_disagreement(tmp_path: Path) -> None:
    folder = _folder(tmp_path, {"one": {"exact/names": 1.0}})
    case = {"id": "one", "expected": [3], "actual": []}
    (tmp_path / "cases.json").write_bytes(msgspec.json.encode([case]))

    assert main([folder]) == 1


def test_without_a_folder_of_cases_there_is_nothing_to_check(tmp_path: Path) -> None:
    assert main([str(tmp_path)]) == 2
    assert main([]) == 2


@pytest.mark.parametrize("content", ["{", '{"results": {"one": 3}}'])
def test_a_file_of_another_form_is_an_error(content: str, tmp_path: Path) -> None:
    folder = _folder(tmp_path, {})
    (tmp_path / "odd.json").write_text(content)

    assert main([folder]) == 2


@pytest.mark.parametrize(
    ("theirs", "ours", "answer"),
    [
        (1, 1.0, True),
        (0.1 + 0.2, 0.3, False),
        (True, 1.0, False),
        (True, True, True),
        (None, None, True),
        (None, 0.0, False),
        (nan, float("nan"), True),
        (nan, 0.0, False),
        ([1.0, 0.5], (1.0, 0.5), True),
        ([1.0], (1.0, 1.0), False),
        ({"a": 1.0}, {"a": 1.0}, True),
        ({"a": 1.0}, {"a": 1.0, "b": 0}, False),
        ({"error": "their words"}, {"error": "ours"}, True),
        ({"error": "their words"}, 0.0, False),
    ],
)
def test_answers_are_the_same_by_equality(theirs: Any, ours: Any, answer: bool) -> None:
    assert same(theirs, ours) is answer
