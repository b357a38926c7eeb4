"""A call with an empty name is kept with its empty name, in every format."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

import callscore
from callscore.core.call import ToolCall
from callscore.formats.dialect import dialects
from callscore.formats.reading import read_as
from callscore.formats.trace import DEFAULT_READ_OPTIONS
from callscore.words.value_text import call_text

SAMPLES = Path(__file__).parents[1] / "samples/formats"
ANSWERS = (".expected.json", ".schemas.json")
NAMES = sorted(
    path.relative_to(SAMPLES).as_posix().removesuffix(".json")
    for path in SAMPLES.rglob("*.json")
    if not path.name.endswith(ANSWERS)
)
# Case files and the answers of training sets: expected calls need a name.
REFUSED = {"callscore_case/case", "callscore_case/cases", "xlam/row", "when2call/test_row"}
# Formats in which the name of a tool is always a value of its own.
AT_LEAST = 35


def emptied(value: Any, names: set[str]) -> Any:
    """The document with every value that is one of the names emptied, also in JSON text."""
    if isinstance(value, dict):
        return {key: item if key == "type" else emptied(item, names) for key, item in value.items()}
    if isinstance(value, list):
        return [emptied(item, names) for item in value]
    if isinstance(value, str) and value[:1] in ("{", "["):
        return emptied_text(value, names)
    return "" if isinstance(value, str) and value in names else value


def emptied_text(text: str, names: set[str]) -> str:
    try:
        inner = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text
    left = emptied(inner, names)
    return text if left == inner else msgspec.json.encode(left).decode()


def names_in(format_name: str, document: Any) -> list[str]:
    (dialect,) = [known for known in dialects() if known.name == format_name]
    traces = read_as(dialect, document, DEFAULT_READ_OPTIONS)
    return [call.name for trace in traces for call in trace.any_calls]


def test_no_format_loses_or_renames_a_call_with_an_empty_name() -> None:
    wrong: list[tuple[str, list[str], list[str]]] = []
    seen: set[str] = set()
    for sample in sorted(set(NAMES) - REFUSED):
        document = msgspec.json.decode((SAMPLES / f"{sample}.json").read_bytes())
        format_name = sample.partition("/")[0]
        before = names_in(format_name, document)

        after = names_in(format_name, emptied(document, set(before)))

        # A span may have the name of its tool a second time, in its own name.
        is_kept = all(new == "" or old in new for old, new in zip(before, after, strict=False))
        if len(before) != len(after) or not (is_kept or format_name == "openinference"):
            wrong.append((sample, before, after))
        if "" in after and "" not in before:
            seen.add(format_name)

    assert wrong == []
    assert len(seen) >= AT_LEAST, sorted(seen)


def test_no_format_reads_a_call_without_a_name_as_a_question_mark() -> None:
    for sample in sorted(set(NAMES) - REFUSED):
        text = (SAMPLES / f"{sample}.json").read_text(encoding="utf-8")
        format_name = sample.partition("/")[0]
        document = msgspec.json.decode(text)
        for name in {found for found in names_in(format_name, document) if found}:
            if isinstance(document, str):  # the text of a model
                document = document.replace(name, "")

        assert "?" not in names_in(format_name, document), sample


@pytest.mark.parametrize("name", ["", None, 5, [], {}])
def test_a_name_that_is_missing_or_of_another_type_is_an_empty_one(name: Any) -> None:
    score = callscore.score([], [{"name": name, "arguments": {"a": 1}}])

    assert [call.name for call in score.extra] == [""]


@pytest.mark.parametrize("expected", ["f", "?", "*", "''", " "])
@pytest.mark.parametrize("normalize_name", [(), ("namespace", "dots", "case")])
def test_an_empty_name_matches_no_expected_one(expected: str, normalize_name: Any) -> None:
    made = [{"name": "", "arguments": {}}]

    score = callscore.score([expected], made, normalize_name=normalize_name)

    assert (len(score.missed), len(score.extra)) == (1, 1)


def test_a_name_that_is_only_a_number_of_a_call_does_not_become_empty() -> None:
    score = callscore.score([":0"], [{"name": "", "arguments": {}}], normalize_name=["namespace"])

    assert (len(score.missed), len(score.extra)) == (1, 1)


def test_a_pattern_for_all_tools_forbids_an_empty_name_too() -> None:
    score = callscore.score([callscore.expect.forbid("*")], [{"name": "", "arguments": {}}])

    assert score.forbidden == (0,)


def test_two_calls_with_empty_names_are_a_repeat() -> None:
    made = [{"name": "", "arguments": {"a": 1}}, {"name": None, "arguments": {"a": 1.0}}]

    assert [fault.kind for fault in callscore.check_calls(made)] == ["repeat"]


def test_an_empty_name_is_visible() -> None:
    (fault,) = callscore.check_calls([{"name": "", "arguments": {}}], tools=["f"])

    assert fault.reason == "'': unknown tool"
    assert call_text(ToolCall("", {"a": 1}), limit=20) == "''(a=1)"
    assert "''(a=1)" in str(callscore.score([], [{"name": "", "arguments": {"a": 1}}]))
