"""Lines in the simplest notation: what is decoded directly is what `read_case` reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.engines.inputs import CASES, CaseReader, InputOptions
from callscore.engines.local import score_files
from callscore.errors import UnreadableInput
from callscore.formats.plain_cases import decode_cases, decode_plain
from callscore.sources import Lines

if TYPE_CHECKING:
    from pathlib import Path

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)
CALLS = st.fixed_dictionaries(
    {
        "name": st.sampled_from(["f", "g", ""]),
        "arguments": st.dictionaries(st.text(max_size=3), VALUES, max_size=3),
    },
    optional={
        "id": st.just("call_1"),
        "result": VALUES,
        "times": st.just(2),
        "optional": st.booleans(),
    },
)
SIDES: st.SearchStrategy[Any] = (
    st.lists(CALLS, max_size=3) | st.none() | st.just([{"in_order": []}]) | st.just(["f"])
)
RECORDS = st.fixed_dictionaries(
    {"id": st.text(max_size=3) | st.integers(-(2**70), 2**70), "expected": SIDES, "actual": SIDES},
    optional={
        "input": VALUES,
        "metadata": VALUES,
        "trial": st.integers() | st.text(max_size=2) | st.none() | st.floats(),
        "tags": st.lists(st.text(max_size=2), max_size=3) | st.just("one") | st.none(),
        "tools": st.just([]),
        "role": st.just("assistant"),
        "only": st.booleans(),
        "skip": st.just("why"),
        "one_of": st.just([]),
        "forbid": st.just("f"),
        "unknown": VALUES,
    },
)


def read_one_by_one(data: bytes) -> list[Any]:
    reader = CaseReader("file", CASES, InputOptions())
    found = [item for record in Lines("file", 1, data).records() for item in reader.take(record)]
    return [*found, *reader.finish()]


@given(st.lists(RECORDS, min_size=1, max_size=3))
def test_directly_decoded_cases_equal_those_that_are_read_one_by_one(
    records: list[dict[str, Any]],
) -> None:
    data = b"".join([msgspec.json.encode(record) + b"\n" for record in records])
    try:
        cases = decode_cases(data)
    except (ValueError, RecursionError):
        return

    places = [f"file:{number + 1}" for number in range(len(records))]
    assert list(zip(places, cases, strict=True)) == read_one_by_one(data)


@pytest.mark.parametrize(
    "field",
    [
        '"forbid": "f"',
        '"in_order": []',
        '"any_order": []',
        '"one_of": []',
        '"optional": []',
        '"role": "user"',
        '"tools": []',
        '"callers": ["agent"]',
        '"turns": []',
        '"expected_state": 1',
        '"actual_state": 1',
        '"expectedState": 1',
        '"turn": []',
        '"actual_sate": 1',
    ],
)
@pytest.mark.parametrize("decode", [decode_cases, decode_plain])
def test_fields_that_need_care_are_left_to_the_reader(decode: Any, field: str) -> None:
    line = f'{{"id": "a", "expected": [], "actual": [], {field}}}\n'.encode()

    with pytest.raises(ValueError, match=r"Expected|expected|misspelled"):
        decode(line)


CASE = b'{"id": "a", "expected": [], "actual": []}'


@pytest.mark.parametrize(
    "lines",
    [
        CASE + CASE + b"\n\n",
        CASE + b" " + CASE + b"\n  \n",
        CASE + CASE + b"\r\n\r\n",
        CASE + b"\n" + CASE.replace(b" [", b" [\n", 1) + CASE + b"\n" + CASE,
        CASE + CASE.replace(b"{", b"{\n", 1),
    ],
)
@pytest.mark.parametrize("decode", [decode_cases, decode_plain])
def test_two_cases_in_one_line_are_left_to_the_reader(decode: Any, lines: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        decode(lines)


@pytest.mark.parametrize("decode", [decode_cases, decode_plain])
def test_space_around_lines_is_not_a_line_of_its_own(decode: Any) -> None:
    lines = b"\r\n".join([CASE, b"  " + CASE.replace(b"{", b"{ "), CASE + b"\t", CASE])

    assert len(decode(lines)) == len(decode(lines + b"\n")) == 4


def test_arguments_that_are_nested_too_deeply_are_left_to_the_reader() -> None:
    deep = "[" * 600 + "]" * 600
    side = f'[{{"name": "f", "arguments": {{"a": {deep}}}}}]'
    line = f'{{"id": "a", "expected": {side}, "actual": []}}\n'.encode()

    with pytest.raises((ValueError, RecursionError)):
        decode_cases(line)


def test_a_number_out_of_range_in_arguments_is_left_to_the_reader() -> None:
    line = b'{"id": "a", "expected": [], "actual": [{"name": "f", "arguments": {"a": 1e400}}]}'

    assert decode_plain(line)
    with pytest.raises(ValueError, match="range"):
        decode_cases(line)


@pytest.mark.parametrize(
    "lines", [b"{}\n\n", b'{"id": "a", "expected": [], "actual": []}\n\n', b'"$']
)
def test_other_lines_are_left_to_the_reader(lines: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        decode_cases(lines)


def test_a_state_that_is_misspelled_in_every_line_is_not_overlooked(tmp_path: Path) -> None:
    line = '{"id": "%s", "expected": [], "actual": [], "expected_stat": {"x": 1}}\n'
    file = tmp_path / "cases.jsonl"
    file.write_text(line % "a" + line % "b", encoding="utf-8")

    with pytest.raises(UnreadableInput, match=r"'expected_stat'. Did you mean 'expected_state'"):
        score_files(file)
