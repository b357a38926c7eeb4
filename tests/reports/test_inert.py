"""Text in which no line is a command to a build server, and no character is invisible."""

from __future__ import annotations

import re
import unicodedata
from xml.etree.ElementTree import fromstring

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.reports.inert import (
    escape_commands,
    inert_block,
    inert_bytes,
    inert_lines,
    inert_text,
    printable_json,
)

COMMAND = re.compile(r"(?:^|\r)(?:\x1b\[[\d;]*m|[^\S\n])*::|##\w{0,40}\[", re.MULTILINE)
PIECES = st.lists(
    st.sampled_from(
        [":", "::", "#", "##", "[", "vso[", "teamcity[", "\n", "\r", " ", "\t", "\x1b[1m", "\x1b"]
    )
    | st.text(max_size=3)
).map("".join)


@pytest.mark.parametrize(
    ("text", "inert"),
    [
        ("::error::x", ": :error::x"),
        ("a\n \t::error::x", "a\n \t: :error::x"),
        ("a ::error::x", "a ::error::x"),
        ("##[error]x", "# #[error]x"),
        ("a ##vso[task.x]b", "a # #vso[task.x]b"),
        ("##teamcity[x]", "# #teamcity[x]"),
        ("## A heading [x]", "## A heading [x]"),
        ("a\u202eb\x85\u2028c\U000e0041", "a\\u202eb\\u0085\\u2028c\\U000e0041"),
        ("1\N{NO-BREAK SPACE}000\ttab", "1\N{NO-BREAK SPACE}000\ttab"),
        ("\x1b[31mred", "\\u001b[31mred"),
    ],
)
def test_commands_and_invisible_characters_are_escaped(text: str, inert: str) -> None:
    assert inert_text(text) == inert


def test_only_the_colours_of_a_terminal_are_left() -> None:
    text = "\x1b[1;31m::error::\x1b[0m \x1b]0;title\x07"

    assert (
        inert_text(text, is_coloured=True) == "\x1b[1;31m: :error::\x1b[0m \\u001b]0;title\\u0007"
    )


@given(PIECES)
def test_no_text_is_a_command_and_escaping_it_again_changes_nothing(text: str) -> None:
    for output_format in ("table", "markdown"):
        found = inert_text(text, output_format)

        assert COMMAND.search(found) is None
        assert inert_text(found, output_format) == found


@given(st.recursive(PIECES, lambda inner: st.lists(inner) | st.dictionaries(PIECES, inner)))
def test_json_means_the_same_and_shows_every_character(value: object) -> None:
    plain = msgspec.json.format(msgspec.json.encode(value), indent=2)
    found = inert_bytes(plain, "json")

    assert msgspec.json.decode(found) == value
    assert COMMAND.search(found.decode()) is None
    assert not [
        each
        for each in found.decode()
        if unicodedata.category(each) in ("Cf", "Zl", "Zp")
        and not "\u0600" <= each <= "\u08ff"  # signs of numbers, which are visible
        and each not in "\U000110bd\U000110cd"
        and not "\U00013430" <= each <= "\U0001345f"
    ]
    assert not re.search("[\x7f-\x9f]", found.decode())


def test_characters_beyond_the_first_plane_become_surrogate_pairs() -> None:
    assert printable_json('"\U000e0041"') == '"\\udb40\\udc41"'


def test_xml_means_the_same() -> None:
    text = "<a>\n::error::##[x]</a>"

    found = inert_text(text, "junit")

    assert COMMAND.search(found) is None
    assert fromstring(found).text == "\n::error::##[x]"  # noqa: S314  (our own)


def test_foreign_lines_stay_lines() -> None:
    assert inert_lines("a\n::b\rc") == "a\n: :b\\rc"


def test_most_lines_are_not_decoded() -> None:
    line = b'{"id": "a"}\n'

    assert inert_bytes(line, "jsonl") is line
    assert inert_bytes(b'{"id": "\x7f"}', "jsonl") == b'{"id": "\\u007f"}'
    assert escape_commands("::a", "jsonl") == "\\u003a:a"


@given(st.text(st.sampled_from("a: #[\n\t\r\x1b\x7f\x85\xad…я\u200b\ufe0f日::##error[")))
def test_encoded_text_is_made_inert_as_text_is(text: str) -> None:
    for output_format in ("junit", "markdown", "table"):
        found = inert_bytes(text.encode(), output_format)
        assert found == inert_text(text, output_format).encode()
    encoded = msgspec.json.encode(text)
    assert inert_bytes(encoded, "json") == printable_json(encoded.decode()).encode()


@given(st.lists(st.text("a:#[\u202e\x7f\n")), st.sampled_from(["jsonl", "junit", "markdown"]))
def test_parts_are_made_inert_one_by_one(texts: list[str], output_format: str) -> None:
    parts = [text.encode() for text in texts]

    one_by_one = [inert_bytes(part, output_format) for part in parts]

    assert inert_block(parts, output_format) == b"".join(one_by_one)
