"""Numbers of any size: read, compared and shown exactly, and never written out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore import ToolCall, expect, read_calls, score
from callscore.core.equality import equal, fingerprint
from callscore.core.large_number import (
    LargeNumber,
    decode_json,
    encode_large,
    number_from_text,
)
from callscore.core.schemas.validation import validation_errors
from callscore.history.records import calls_digest, digest_of, json_bytes
from callscore.history.rows import unpack
from callscore.sources.lenient_json import decode_leniently
from callscore.sources.reader import read_records
from callscore.sources.record import Record
from callscore.sources.toml_document import read_toml
from callscore.sources.yaml_document import read_yaml
from callscore.words.plain_data import call_to_dict

if TYPE_CHECKING:
    from pathlib import Path


def number(text: str) -> Any:
    return number_from_text(text)


DIGITS = st.text("0123456789", min_size=1, max_size=12)
EXPONENTS = st.one_of(
    st.integers(-20, 20),
    st.integers(290, 420),
    st.integers(4200, 4400),
    st.sampled_from([10**18, 10**18 - 1, 999_999_999_999, 10**19, -(10**18), -(10**30), 10**30]),
)


@st.composite
def number_texts(draw: st.DrawFn) -> str:
    sign = draw(st.sampled_from(["", "-"]))
    whole = draw(DIGITS).lstrip("0") or "0"
    whole += "0" * draw(st.sampled_from([0, 0, 0, 1, 30, 400, 4300, 5000])) if whole != "0" else ""
    fraction = draw(st.sampled_from(["", "", ".0", ".5", ".000"])) or ""
    power = draw(st.sampled_from(["", "e", "E", "e+"]))
    if not power:
        return f"{sign}{whole}{fraction}"
    exponent = draw(EXPONENTS)
    mark = power if exponent >= 0 else power.rstrip("+")
    return f"{sign}{whole}{fraction}{mark}{exponent}"


def exact(text: str) -> tuple[Any, ...]:
    """The value of a text as JSON readers have it: a float if one can hold it, or else exactly."""
    found = re.fullmatch(r"(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([-+]?[0-9]+))?", text)
    assert found is not None
    sign, whole, fraction, power = found.groups()
    if (fraction or power) and abs(float(text)) != float("inf"):
        mantissa, _, places = f"{float(text):.1100f}".lstrip("-").partition(".")
        digits, exponent = mantissa + places, -len(places)
    else:
        digits, exponent = whole + (fraction or ""), int(power or 0) - len(fraction or "")
    kept = digits.rstrip("0")
    exponent += len(digits) - len(kept)
    kept = kept.lstrip("0")
    return (sign, kept, exponent) if kept else ("", "", 0)


@given(number_texts(), number_texts())
def test_numbers_are_equal_exactly_when_their_values_are(left: str, right: str) -> None:
    for first, second in (
        (left, right),
        (left, left),
        (right, f"{right}0" if "." in right else right),
    ):
        values = number_from_text(first), number_from_text(second)

        is_equal = exact(first) == exact(second)

        assert equal(*values) == is_equal
        assert (fingerprint(values[0]) == fingerprint(values[1])) == is_equal
        assert equal({"x": [values[0]]}, {"x": [values[1]]}) == is_equal


@given(number_texts())
def test_all_readers_read_a_number_alike(text: str) -> None:
    value = number_from_text(text)
    document = f'{{"x": {text}}}'

    assert equal(decode_json(document), {"x": value})
    assert equal(decode_leniently(document.encode(), unit="line"), {"x": value})
    (record,) = read_yaml(f"x: {text}\n".encode(), "f.yaml")
    assert isinstance(record, Record)
    assert equal(record.value, {"x": value})
    if "e" not in text.lower() and "." not in text:
        return
    assert equal(read_toml(f"x = {text}\n", "f.toml"), {"x": value})


@given(number_texts())
def test_a_call_with_any_number_is_scored_shown_and_read_again(text: str) -> None:
    call = f'[{{"name": "f", "arguments": {{"x": {text}}}}}]'
    inner = f'[{{"name": "f", "arguments": {msgspec.json.encode(call[28:-2]).decode()}}}]'

    found = score(call, inner)

    assert found.f1 == 1
    assert str(found)
    assert found.explain()
    msgspec.json.encode(found.to_dict())
    assert equal(read_calls(call)[0].arguments, {"x": number_from_text(text)})
    assert score(call, '[{"name": "f", "arguments": {"x": 77777.25}}]').f1 == 0


@pytest.mark.parametrize(
    ("smaller", "larger"),
    [
        ("1e400000", "2e400000"),
        ("9e399999", "1e400000"),
        ("-1e400000", "1"),
        ("-2e400000", "-1e400000"),
        ("1.7e308", "1e5000"),
        ("1e1000000000000000000", "1e1000000000000000001"),
        ("0", "1e99999"),
        (f"{'1' * 400}.5", f"{'1' * 399}2"),
    ],
)
def test_numbers_are_ordered_by_their_values(smaller: str, larger: str) -> None:
    low, high = number_from_text(smaller), number_from_text(larger)

    assert low < high
    assert high > low
    assert low <= high
    assert high >= low
    assert not high <= low
    assert not equal(low, high)


@pytest.mark.parametrize(
    ("matcher", "given", "is_accepted"),
    [
        (expect.gt(1), "1e99999", True),
        (expect.lt(1), "1e99999", False),
        (expect.lt(1), "-1e99999", True),
        (expect.type("integer"), "1e99999", True),
        (expect.type("integer"), f"{'1' * 400}.5", False),
        (expect.type("string"), "1e99999", False),
        (expect.date("2024-01-15"), "1e99999", False),
        (expect.approx(number("1e99999")), "1.0000001e99999", True),
        (expect.approx(number("1e99999")), "1.1e99999", False),
        (expect.approx(number("1e99999")), "3", False),
        (expect.approx(3), "1e1000000000000000000", False),
        (expect.approx(number("-1e1000000000000000000")), "-1e1000000000000000000", True),
        (expect.one_of(1, number_from_text("1e99999")), "10e99998", True),
    ],
)
def test_rules_accept_and_reject_large_numbers(matcher: Any, given: str, is_accepted: bool) -> None:
    found = score([("f", {"x": matcher})], [("f", {"x": number_from_text(given)})])

    assert (found.f1 == 1) == is_accepted
    assert found.explain()


@pytest.mark.parametrize("suffix", ["json", "jsonl", "yaml", "csv"])
def test_files_of_all_kinds_hold_large_numbers(suffix: str, tmp_path: Path) -> None:
    calls = '[{"name": "f", "arguments": {"x": 1e1000000000000000000, "y": 1e400}}]'
    text = f'{{"id": "a", "expected": {calls}, "actual": {calls}}}\n'
    if suffix == "csv":
        cell = calls.replace('"', '""')
        text = f'id,expected,actual\na,"{cell}","{cell}"\n'
    path = tmp_path / f"cases.{suffix}"
    path.write_text(text)

    (record,) = read_records(str(path))

    assert isinstance(record, Record)
    assert score(record.value["expected"], record.value["actual"]).f1 == 1


def test_a_large_number_is_a_number_again_after_it_was_saved() -> None:
    call = ToolCall("f", {"x": number_from_text("1e99999"), "y": 10**5000, "z": "1e99999"})

    saved = call_to_dict(call, exact=True)
    body = json_bytes(saved)

    assert equal(unpack(body, digest_of(body)), saved)
    assert equal(saved["arguments"], call.arguments)
    assert calls_digest([saved]) != calls_digest([call_to_dict(call)])
    with pytest.raises(TypeError, match="object"):
        encode_large(object())


def test_infinities_are_beyond_all_numbers_and_nan_beside_them() -> None:
    large = number_from_text("-1e99999")
    assert isinstance(large, LargeNumber)

    assert float("-inf") < large < float("inf")
    nan: Any = float("nan")
    assert not large < nan
    assert not large > nan
    assert large != nan
    assert large != "-1e99999"
    assert hash(large) == hash(number_from_text("-10e99998"))


def test_leading_zeros_of_yaml_do_not_count() -> None:
    assert number_from_text("+" + "0" * 5000 + "7") == 7
    assert number_from_text("-" + "0" * 5000) == 0
    with pytest.raises(ValueError, match="not a number"):
        number_from_text("x")


def test_invalid_json_is_refused_even_if_it_has_large_numbers() -> None:
    for text in ("[1e999, NaN]", "[1e999", "nope"):
        with pytest.raises(ValueError):  # noqa: PT011  (of two readers)
            decode_json(text)
    assert decode_json(b"[1e400]") == [10**400]


def test_schemas_check_large_numbers() -> None:
    schema = {"type": "object", "properties": {"x": {"type": "integer", "maximum": 5}}}

    (error,) = validation_errors(schema, {"x": number_from_text("1e99999")})
    assert error.keyword == "maximum"
    assert validation_errors(schema, {"x": number_from_text("-1e99999")}) == []
    (error,) = validation_errors(schema, {"x": number_from_text("-1e99999"), "y": object()})
    assert error.keyword == "unchecked"
