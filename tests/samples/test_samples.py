"""Everything that is read from every sample, and from every row of documents, is what was recorded.

`python -m tests.samples.record` writes it, and README.md tells what is in the files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.samples.record import (
    ANSWERS,
    FOLDER,
    RECORDED,
    ROWS,
    answers,
    format_names,
    load,
    load_rows,
    other_answers,
    recorded_answers,
    samples,
)
from tests.tables.rows import same

from callscore import ToolCall, read_calls, read_tools

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


def differences(found: Iterable[tuple[Path, Any]]) -> str:
    """Where what is read is not what was recorded, a paragraph each."""
    wrong: list[str] = []
    for path, value in found:
        place = path.relative_to(FOLDER).as_posix()
        if not path.exists():
            wrong.append(f"{place} was not recorded yet")
        elif path.parent == ROWS:
            for number, (now, row) in enumerate(zip(value, load_rows(path), strict=True), 1):
                wrong += difference(f"{place}:{number} ({row['why']})", row, now)
        else:
            wrong += difference(place, load(path), value)
    return "\n".join(wrong)


def check(found: Iterable[tuple[Path, Any]]) -> None:
    """Fail where what is read is not what was recorded."""
    if wrong := differences(found):
        hint = "If this is meant, run `.venv/bin/python -m tests.samples.record`, and read what git shows."
        pytest.fail(f"{wrong}\n{hint}", pytrace=False)


def difference(place: str, expected: dict[str, Any], found: dict[str, Any]) -> list[str]:
    keys = [key for key in {**expected, **found} if not same(expected.get(key), found.get(key))]
    return [f"{place}: {key}: expected {expected.get(key)}, got {found.get(key)}" for key in keys]


def test_every_answer_has_its_document() -> None:
    """One that is alone is compared with nothing."""
    tables = {path.name for path in ROWS.iterdir()}
    alone = [
        path.name
        for path in FOLDER.glob("*/*/*.json")
        for ending in ANSWERS
        if path.name.endswith(ending)
        and not path.with_name(path.name.removesuffix(ending)).exists()
        and not path.with_name(path.name.removesuffix(ending) + ".json").exists()
    ]
    assert alone == []
    assert tables <= {f"{name}.jsonl" for name in (*format_names(), "any")}


@pytest.mark.parametrize("name", format_names())
def test_a_format_is_read_as_recorded(name: str) -> None:
    found = list(answers(name))

    assert {read["format"] for path, read in found if path.parent != ROWS} == {name}
    check(found)


def test_files_of_others_are_read_as_recorded() -> None:
    assert len(load(RECORDED / "INDEX.json")) == 57
    check(recorded_answers())


def test_documents_of_no_single_format_are_read_as_recorded() -> None:
    check(other_answers())


def reads() -> Iterator[tuple[str, dict[str, Any]]]:
    """What was recorded of every sample and every file of others."""
    for path in sorted(FOLDER.glob("*/*/*.expected.json")):
        answer = load(path)
        for read in answer.get("read", [answer]):
            yield path.name, read


def test_nothing_in_a_sample_looks_like_an_unread_call() -> None:
    assert not [name for name, read in reads() if "unread" in read]


def test_the_turns_of_a_sample_never_go_back() -> None:
    cut, wrong = set(), []
    for name, read in reads():
        for trace in read["traces"]:
            turns = [call.get("turn") for call in trace.get("calls", ())]
            known = [turn for turn in turns if turn is not None]
            cut |= {read["format"]} if known else set()
            if known not in ([], turns) or known != sorted(known) or min(known, default=0) < 0:
                wrong.append(name)
    assert not wrong
    assert {"adk_events", "bfcl", "tau_bench", "openai_responses"} <= cut


def test_the_calls_of_a_file_are_those_that_a_person_sees_in_it() -> None:
    """The person wrote down the calls before the program read the file."""
    wrong: list[str] = []
    for entry in load(RECORDED / "INDEX.json"):
        file = entry["file"]
        seen = load(RECORDED / f"{file}.expected.json")
        calls = read_calls(RECORDED / file)
        tools = [tool.name for tool in read_tools(RECORDED / file)] if "tools" in seen else None
        if (
            {read["format"] for read in seen["read"]} != {seen["dialect"]}
            or len(calls) != len(seen["calls"])
            or not all(map(is_seen, calls, seen["calls"]))
            or tools != seen.get("tools")
        ):
            wrong.append(file)
    assert not wrong


def is_seen(call: ToolCall, seen: dict[str, Any]) -> bool:
    """Whether a call has all that a person noted about it."""
    begin = seen.get("result_starts", "")
    return begin in str(call.result) and all(
        getattr(call, field) == value for field, value in seen.items() if field != "result_starts"
    )


def test_the_tools_of_a_sample_that_are_kept_alone_are_those_in_it() -> None:
    wrong = []
    for name in format_names():
        for path in samples(name):
            alone = path.with_suffix(ANSWERS[1])
            tools = load(path.with_suffix(ANSWERS[0])).get("tools", [])
            fields = ("name", "description", "parameters")
            plain = [{field: tool.get(field) for field in fields} for tool in tools]
            if alone.exists() and load(alone) != plain:
                wrong.append(alone.name)
    assert not wrong
