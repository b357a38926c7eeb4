from __future__ import annotations

from datetime import date
from fractions import Fraction
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore import ToolCall, score
from callscore.core import rendering
from callscore.core.rendering import (
    ELLIPSIS,
    clip,
    clip_middle,
    display_width,
    escape,
    excerpts,
    mention,
    plain_arguments_text,
    plain_value_text,
    render_arguments,
    render_value,
    safe_repr,
    short_names,
    wrap,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("plain", "plain"),
        ("two\nlines\tand\r", "two\\nlines\\tand\\r"),
        ("\x1b[31mred", "\\u001b[31mred"),
        ("\u202eback", "\\u202eback"),
        ("no\u00a0break", "no\\u00a0break"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\U000e0041"),
        ("поиск 日本 😀 e\u0301", "поиск 日本 😀 e\u0301"),
    ],
)
def test_control_and_invisible_characters_are_escaped(text: str, escaped: str) -> None:
    assert escape(text) == escaped


def test_fillers_and_tags_are_spelled_out_although_they_count_as_printable() -> None:
    assert escape("a\u3164b\U000e0100c\u034f") == "a\\u3164b\\U000e0100c\\u034f"
    assert escape("日本 ❤\ufe0f") == "日本 ❤\ufe0f"


@given(st.text(), st.integers(min_value=0, max_value=30))
def test_a_clipped_text_is_never_wider_than_asked_for(text: str, width: int) -> None:
    assert display_width(clip(text, width)) <= width
    assert display_width(clip_middle(text, width)) <= width


def test_a_value_nested_a_hundred_thousand_deep_is_shown_up_to_the_limit() -> None:
    value: list[object] = []
    for _ in range(100_000):
        value = [value]

    assert render_value(value, limit=8) == "[[[[[[[…"


def test_a_value_that_holds_itself_is_shown_up_to_the_limit() -> None:
    value: list[object] = []
    value.append(value)

    assert render_value(value, limit=4) == "[[[…"


@given(st.text(), st.text(), st.text())
def test_no_excerpt_is_wider_than_its_limit(beginning: str, left: str, right: str) -> None:
    shown = excerpts(beginning * 9 + left, beginning * 9 + right, limit=25)

    assert max(map(display_width, shown)) <= 25


def test_an_object_that_cannot_print_itself_is_named_by_its_type() -> None:
    assert safe_repr(Fraction(10**5000)) == "<Fraction>"


def test_values_that_share_parts_are_not_printed_without_end() -> None:
    shared: Any = SimpleNamespace(x=1)
    for _ in range(60):
        shared = [SimpleNamespace(x=[shared, shared]), {"y": shared}]

    assert (safe_repr(shared), mention((shared,))) == ("<list>", "<tuple>")
    assert safe_repr([SimpleNamespace(x=1)]) == "[namespace(x=1)]"


def test_a_function_is_shown_without_its_address() -> None:
    def inner() -> None: ...

    name = "test_a_function_is_shown_without_its_address.<locals>.inner"
    assert safe_repr(inner) == f"<function {name}>"
    assert render_value([inner], limit=200) == f"[<function {name}>]"
    assert safe_repr("jump <at 0x1F> at 0x1F") == "'jump <at 0x1F> at 0x1F'"


@given(st.text(), st.text(), st.text(), st.integers(16, 40))
def test_excerpts_of_different_strings_are_different(
    middle: str, left: str, right: str, limit: int
) -> None:
    expected, actual = ("x" * 50 + left + middle * 9, "x" * 50 + right + middle * 9)
    shown = excerpts(expected, actual, limit=limit)

    assert (shown[0] == shown[1]) == (expected == actual)


@given(st.sets(st.text("abAB_.[0] \n北", max_size=30), max_size=9), st.integers(6, 24))
def test_short_names_have_room_and_stay_different(names: set[str], width: int) -> None:
    short = short_names(names, width)

    assert set(short) == names
    assert len(set(short.values())) == len(names)
    assert max(map(display_width, short.values()), default=0) <= width


def test_a_name_of_a_megabyte_is_shortened_quickly() -> None:
    names = ["x" * 1_000_000, "x" * 1_000_000 + "y"]

    assert max(map(len, short_names(names, 20).values())) <= 20


@given(st.text(), st.integers(4, 30))
def test_wrapped_lines_have_room_and_lose_nothing_but_blanks(text: str, width: int) -> None:
    lines = list(wrap(text, width))

    assert max(map(display_width, lines)) <= width
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_thousands_of_names_are_shortened_quickly() -> None:
    names = [f"customer_orders_refund_amount_{number}_in_the_warehouse" for number in range(5000)]

    assert len(set(short_names(names, 30).values())) == 5000


_TEXTS = st.text(
    st.sampled_from('ab Zя"\\\n\t\x00\x7f\xad…é日e\u0301\u200b\u1160😀\ud800=,:{}[]'), max_size=12
)
_SCALARS = (
    _TEXTS
    | st.integers()
    | st.floats()
    | st.booleans()
    | st.none()
    | st.just(10**4000)
    | st.just(date(2024, 1, 2))
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(_TEXTS | st.integers(), inner, max_size=4)
    ),
    max_leaves=8,
)


@given(st.dictionaries(_TEXTS | st.integers(), _VALUES, max_size=4), st.integers(-3, 60))
def test_plain_arguments_have_the_same_text_as_others_and_any_start_of_it(
    arguments: dict[str, Any], limit: int
) -> None:
    def pieces() -> Iterator[str]:
        for position, (name, value) in enumerate(arguments.items()):
            yield f"{', ' if position else ''}{escape(str(name)[: limit + 1])}="
            yield from rendering._pieces(
                value, lambda atom: rendering.scalar_text(atom, limit=limit)
            )

    expected = rendering._join_pieces(pieces(), limit)
    longer = plain_arguments_text(arguments, limit + 20)

    assert render_arguments(arguments, limit=limit) == expected
    assert longer is None or clip(longer, limit) == expected


@given(_VALUES, st.integers(-3, 60))
def test_plain_values_have_the_same_text_as_others_and_any_start_of_it(
    value: object, limit: int
) -> None:
    pieces = rendering._pieces(value, lambda atom: rendering.scalar_text(atom, limit=limit))
    expected = rendering._join_pieces(pieces, limit)
    longer = plain_value_text(value, limit + 20)

    assert render_value(value, limit=limit) == expected
    assert longer is None or clip(longer, limit) == expected


@pytest.mark.parametrize(
    ("text", "width", "clipped"),
    [
        ("abcdef", 6, "abcdef"),
        ("abcdef", 4, "abc…"),
        ("日本語", 5, "日本…"),
        ("日本語", 4, "日…"),
        ("abc", 0, ""),
        ("日", 1, "…"),
    ],
)
def test_a_text_is_clipped_at_its_end(text: str, width: int, clipped: str) -> None:
    assert clip(text, width) == clipped


class Rule:
    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


@pytest.mark.parametrize(
    ("expected", "actual", "shown"),
    [
        ("a" * 50, "b" * 50, ('"aaaaaaaaaaaaaaaaa…"', '"bbbbbbbbbbbbbbbbb…"')),
        (
            "one two three four five six",
            "one two three 4",
            ('"…three four five…"', '"one two three 4"'),
        ),
        ("a" * 30, "a" * 30 + " ", ('"…aaaaaaaaaaaaaaa"', '"…aaaaaaaaaaaaaaa "')),
        (
            "北京市朝阳区建国门外大街一号",
            "北京市朝阳区建国门外大街二号",
            ('"…建国门外大街一号"', '"…建国门外大街二号"'),
        ),
        (10**30 + 1, 10**30 + 2, ("…000000000000000001", "…000000000000000002")),
        (Rule("$approx 1234567890.5 ± 0.25"), 1, ("$approx 12….5 ± 0.25", "1")),
        ([*range(20)], [*range(9), 0], ("…7, 8, 9, 10, 11,…", "…7, 8, 0]")),
    ],
)
def test_an_excerpt_is_cut_around_the_difference(
    expected: object, actual: object, shown: tuple[str, str]
) -> None:
    assert excerpts(expected, actual, limit=20) == shown


def test_names_without_room_for_their_difference_are_numbered() -> None:
    names = ["x" * 1000, "x" * 500 + "y" + "x" * 500, "x" * 400 + "y" + "x" * 600]

    assert sorted(short_names(names, 20).values()) == [
        "xxxxxxxxxxxxxxxxx…#1",
        "xxxxxxxxxxxxxxxxx…#2",
        "xxxxxxxxxxxxxxxxx…#3",
    ]


def test_of_many_members_only_those_with_room_are_read() -> None:
    class Members(dict[str, Any]):
        read = 0

        def items(self) -> Any:
            for item in super().items():
                self.read += 1
                yield item

    arguments = Members({f"argument_{number}": [number] * 1000 for number in range(1000)})

    assert render_arguments(arguments, limit=30).endswith(ELLIPSIS)
    assert arguments.read <= 31


def test_of_long_strings_that_begin_alike_the_part_is_shown_where_they_differ() -> None:
    beginning = "0123456789" * 100

    left, right = excerpts(beginning + "one", beginning + "two", limit=30)

    assert (left, right) == ('"…678901234567890123456789one"', '"…678901234567890123456789two"')


@pytest.mark.parametrize(
    ("expected", "actual"),
    [("short one", "short two"), (1, "x" * 50)],
)
def test_other_values_are_shown_from_their_beginning(expected: object, actual: object) -> None:
    shown = excerpts(expected, actual, limit=20)

    assert shown == (render_value(expected, limit=20), render_value(actual, limit=20))


def test_names_of_arguments_that_are_no_text_or_are_very_long_are_shown() -> None:
    names: Any = {1: 2, "x" * 500: 3}

    for name, value in names.items():
        text = str(score([], [ToolCall("f", {name: value})]))
        assert f"f({str(name)[:20]}" in text
