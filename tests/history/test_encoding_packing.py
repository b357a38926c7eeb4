"""Values as bytes: what goes in comes out, and what is long becomes short."""

from __future__ import annotations

import random
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.history.encoding import (
    clean_text,
    compressed,
    digest_of,
    json_bytes,
    json_text,
    pack_digest,
    unpack,
    unpack_digest,
)

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner)
    ),
    max_leaves=20,
)


@given(JSON)
def test_plain_data_comes_back_as_it_was(value: Any) -> None:
    assert unpack(compressed(json_bytes(value))) == value


def test_a_long_text_is_kept_short() -> None:
    body = json_bytes(["the same again"] * 1_000)

    assert len(compressed(body)) < len(body) / 10
    assert unpack(compressed(body)) == ["the same again"] * 1_000


def test_a_short_text_is_not_compressed() -> None:
    body = json_bytes(["the same again"] * 5)

    assert compressed(body) is body


def test_a_text_that_gains_nothing_is_not_compressed() -> None:
    noise = random.Random(6).randbytes(1_000)

    assert compressed(noise) is noise


def test_half_of_a_character_and_strange_objects_become_text() -> None:
    assert unpack(json_bytes({"a": "\ud800"})) == {"a": "\\ud800"}
    assert unpack(json_bytes([complex(1, 2)])) == ["(1+2j)"]
    assert unpack(json_bytes(date(2026, 11, 15))) == "2026-11-15"


def test_what_is_nested_without_end_is_kept_as_far_as_it_goes() -> None:
    nested: Any = []
    for _ in range(5_000):
        nested = [nested]

    assert len(json_bytes(nested)) < 100_000


@pytest.mark.parametrize("empty", [{}, [], (), None, ""])
def test_what_is_empty_takes_no_room(empty: object) -> None:
    assert json_text(empty) is None


def test_a_digest_tells_texts_apart() -> None:
    assert digest_of(b"1") != digest_of(b"2")
    assert digest_of(b"1") == digest_of(b"1")


def test_a_hexadecimal_digest_takes_half_the_room() -> None:
    assert len(pack_digest("ab" * 16)) == 17


@given(st.text(st.characters(exclude_categories=["Cs"])) | st.binary().map(bytes.hex))
def test_a_digest_comes_back_as_it_was(text: str) -> None:
    assert unpack_digest(pack_digest(text)) == text


@pytest.mark.parametrize("text", ["AB", "a b", "ab ", "abc", ""])
def test_what_only_looks_like_a_digest_comes_back_as_it_was(text: str) -> None:
    assert unpack_digest(pack_digest(text)) == text


def test_a_text_has_no_characters_that_a_database_refuses() -> None:
    assert clean_text("a\x00b\ud800c") == "a\\u0000b\\ud800c"
    assert clean_text("Погода 🌦") == "Погода 🌦"
