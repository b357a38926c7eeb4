"""Files recorded from real providers and frameworks, each read by eye before by the program.

What must come out stands beside each file, as a person saw it there; `INDEX.json` says where the
files are from and under which licence.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from callscore import read_calls, read_tools
from callscore.documents import read_documents
from callscore.formats.shape import text_in

RECORDED = Path(__file__).parents[1] / "samples/recorded"
FILES = [entry["file"] for entry in msgspec.json.decode((RECORDED / "INDEX.json").read_bytes())]


def seen(file: str) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.json.decode((RECORDED / f"{file}.expected.json").read_bytes())
    return found


def test_all_files_are_there() -> None:
    assert len(FILES) == 57


@pytest.mark.parametrize("file", FILES)
def test_a_recorded_file_gives_the_calls_that_a_person_sees_in_it(file: str) -> None:
    expected = seen(file)

    calls = read_calls(RECORDED / file)

    assert {document.dialect.name for document in read_documents(RECORDED / file)} == {
        expected["dialect"]
    }
    assert [(call.name, call.arguments) for call in calls] == [
        (call["name"], call["arguments"]) for call in expected["calls"]
    ]
    for call, wanted in zip(calls, expected["calls"], strict=True):
        for field in ("id", "kind", "caller", "failed", "raw", "error"):
            if field in wanted:
                assert getattr(call, field) == wanted[field]
        if "result_starts" in wanted:
            shown = text_in(call.result) or str(call.result)
            assert shown.startswith(wanted["result_starts"])


@pytest.mark.parametrize("file", [file for file in FILES if "tools" in seen(file)])
def test_a_recorded_file_gives_the_tools_that_a_person_sees_in_it(file: str) -> None:
    assert [tool.name for tool in read_tools(RECORDED / file)] == seen(file)["tools"]
