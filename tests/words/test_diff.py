from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from callscore.core.call import ToolCall
from callscore.core.case import Group, Times
from callscore.core.counted_calls import Ignored
from callscore.core.rendering import display_width, plain_arguments_text
from callscore.core.rules import Matcher
from callscore.core.score import Fault, Score
from callscore.core.scoring import score_calls
from callscore.core.settings import Mode, Settings
from callscore.words import diff_pairs
from callscore.words.diff import call_lines, calls_text, diff_lines, rich_text, score_text
from callscore.words.diff_rows import Style, plain_text

if TYPE_CHECKING:
    from callscore.core.phrases import Language

Calls = list[tuple[str, dict[str, Any]]]


def scored(expected: Calls, actual: Calls, settings: Settings | None = None) -> Score:
    return score_calls(
        tuple(ToolCall(*call) for call in expected),
        tuple(ToolCall(*call) for call in actual),
        settings or Settings(),
    )


def example() -> Score:
    """Worked example (a): one call right, one with another text, one that nobody expected."""
    return scored(
        [("searchWeb", {"query": "AI news"}), ("summarize", {"text": "long", "words": 50})],
        [
            ("searchWeb", {"query": "AI news"}),
            ("summarize", {"text": "short", "words": 50}),
            ("translateText", {"to": "ru"}),
        ],
    )


def lines(score: Score, **options: Any) -> list[str]:
    text = plain_text(call_lines(score, **options))
    assert calls_text(score, **options) == text
    return text.split("\n")


def test_the_worked_example_is_shown_aligned() -> None:
    assert str(example()).split("\n") == [
        "Score 40.0%   Precision 33.3%   Recall 50.0%   Poor",
        "",
        "  Expected                     Actual",
        '= searchWeb(query="AI news")   searchWeb(query="AI news")',
        "~ summarize                    summarize",
        '  ~ text: "long"                 text: "short"',
        "    … 1 equal argument",
        '+                              translateText(to="ru")',
    ]


def test_the_worked_example_is_shown_in_russian() -> None:
    assert plain_text(diff_lines(example(), lang="ru")).split("\n") == [
        "Оценка 40.0%   Precision 33.3%   Recall 50.0%   Плохо",
        "",
        "  Ожидаемые вызовы             Фактические вызовы",
        '= searchWeb(query="AI news")   searchWeb(query="AI news")',
        "~ summarize                    summarize",
        '  ~ text: "long"                 text: "short"',
        "    … 1 совпавший аргумент",
        '+                              translateText(to="ru")',
    ]


def test_every_kind_of_difference_has_its_mark_and_its_note() -> None:
    score = scored(
        [("f", {"value": 1, "kind": 1, "none": None, "gone": "x"})],
        [("f", {"value": 2, "kind": "1", "none": 0, "new": True})],
    )

    assert lines(score) == [
        "  Expected             Actual",
        "~ f                    f",
        "  ~ value: 1             value: 2",
        '  ~ kind: 1 (number)     kind: "1" (string)',
        "  ~ none: null           none: 0 (number)",
        '  - gone: "x"            not given',
        "  + not expected         new: true",
    ]


def test_types_are_named_in_russian_as_well() -> None:
    score = scored([("f", {"n": 1})], [("f", {"n": "1"})])

    text = plain_text(diff_lines(score, lang="ru"))

    assert '~ n: 1 (число)       n: "1" (строка)' in text


def test_extra_calls_stand_where_they_happened_and_missed_ones_where_they_were_expected() -> None:
    score = scored([("a", {}), ("b", {}), ("c", {})], [("x", {}), ("a", {}), ("y", {}), ("c", {})])

    assert lines(score) == [
        "  Expected   Actual",
        "+            x()",
        "= a()        a()",
        "- b()",
        "+            y()",
        "= c()        c()",
    ]


def test_pairs_that_cross_keep_the_order_of_the_expected_calls() -> None:
    score = scored([("a", {}), ("b", {})], [("b", {}), ("x", {}), ("a", {}), ("y", {})])

    assert lines(score)[1:] == [
        "+            x()",
        "= a()        a()",
        "= b()        b()",
        "+            y()",
    ]


def test_a_flexible_pair_is_correct_and_shows_its_differences_muted() -> None:
    wanted = {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5}
    score = scored([("f", wanted)], [("f", {**wanted, "e": 6})], Settings(mode=Mode.FLEXIBLE))

    shown = call_lines(score)

    assert plain_text(shown).split("\n")[1:] == [
        "= f          f",
        "  ~ e: 5       e: 6",
        "    … 4 equal arguments",
    ]
    assert {style for text, style in shown[2] if text.strip()} == {"muted"}


def test_nothing_expected_and_nothing_called_is_said_in_words() -> None:
    assert lines(scored([], [])) == ["No calls expected, none made."]


def test_a_call_that_accepts_any_arguments_shows_that() -> None:
    score = score_calls((ToolCall("f"),), (ToolCall("f", {"a": 1}),), Settings())

    assert lines(score)[1] == "= f(any arguments)   f(a=1)"


def test_arguments_that_could_not_be_read_are_shown_with_the_reason() -> None:
    broken = ToolCall("f", raw="{oops", error="unexpected end")
    score = score_calls((ToolCall("f", {"a": 1}),), (broken, broken), Settings())
    any_arguments = score_calls((ToolCall("f"),), (broken,), Settings())

    assert lines(score)[1:] == [
        "~ f          f",
        '  ~ a=1        "{oops"',
        "    the arguments are not a JSON object: unexpected end",
        '+            f("{oops")',
    ]
    assert lines(any_arguments)[2] == '  ~ …          "{oops"'


def test_many_differences_are_cut_and_counted() -> None:
    score = scored([("f", {"a": list(range(50))})], [("f", {"a": list(range(1, 51))})])

    shown = lines(score)

    assert shown[2] == "  ~ a[0]: 0       a[0]: 1"
    assert shown[-1] == "    … 30 more differences"
    assert len(shown) == 23


def test_nested_paths_are_shown_whole_where_the_values_leave_room() -> None:
    score = scored(
        [("f", {"flights": [{"flight_number": "HAT290"}]})],
        [("f", {"flights": [{"flight_number": "HAT229"}]})],
    )

    assert lines(score, width=80)[2] == (
        '  ~ flights[0].flight_number: "HAT290"     flights[0].flight_number: "HAT229"'
    )


def test_long_strings_are_shown_from_where_they_differ() -> None:
    text = "the same beginning " * 20
    score = scored([("f", {"text": text + "one"})], [("f", {"text": text + "two"})])

    assert lines(score)[2].endswith('text: "…beginning the same beginning two"')


def test_wide_characters_keep_the_columns_aligned() -> None:
    score = scored(
        [("検索", {"都市": "東京"}), ("e\u0301", {}), ("😀", {"a": 1})],
        [("検索", {"都市": "東京"}), ("e\u0301", {}), ("😀", {"a": 2})],
    )

    shown = lines(score)

    starts = [display_width(line[: line.rindex("  ") + 2]) for line in shown[:4]]
    assert starts == [starts[0]] * 4


@pytest.mark.parametrize("width", [40, 80, 120])
def test_no_line_is_wider_than_asked_for(width: int) -> None:
    long = {"a long argument name " * 9: "long value " * 30, "nested": {"deep": ["x" * 500]}}
    other = {"a long argument name " * 9: 5, "nested": {"deep": ["y" * 500]}, "new" * 50: "日" * 90}
    score = scored(
        [("tool_with_a_long_name" * 9, long), ("b", long), ("f", {})],
        [("tool_with_a_long_name" * 9, other), ("b", long), ("c" * 300, other)],
    )

    assert max(map(display_width, lines(score, width=width))) <= width


def test_a_width_too_small_for_two_columns_is_not_followed() -> None:
    assert lines(example(), width=1) == lines(example(), width=40)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
CALLS = st.lists(
    st.tuples(st.text(max_size=5), st.dictionaries(st.text(max_size=5), JSON, max_size=3)),
    max_size=3,
)


@given(CALLS, CALLS, st.sampled_from([40, 73, 100]))
def test_whatever_the_trace_holds_each_line_is_one_line_that_fits(
    expected: Calls, actual: Calls, width: int
) -> None:
    shown = call_lines(scored(expected, actual), width=width)

    for line in shown:
        text = "".join(text for text, _ in line)
        assert not {unicodedata.category(character) for character in text} & {
            "Cc",
            "Cf",
            "Zl",
            "Zp",
        }
        assert display_width(text) <= max(width, 44)


def test_control_characters_and_markup_are_shown_and_not_obeyed() -> None:
    hostile = "\x1b[31m[red]:smile:[/red]\n[link=x]"
    score = scored([], [(hostile, {hostile: hostile})])
    console = Console(width=200, force_terminal=True, color_system="truecolor")

    with console.capture() as capture:
        console.print(score)

    assert "\\u001b[31m[red]:smile:[/red]\\n[link=x]" in capture.get()
    assert "\x1b[31m" not in capture.get()


def test_a_value_nested_a_hundred_thousand_deep_is_shown() -> None:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]
    score = scored([("f", {"a": value})], [("f", {"a": 1})])

    shown = lines(score)

    assert shown[2].startswith("  ~ a: [[[[[[[[")
    assert shown[2].endswith("a: 1 (number)")


def test_a_difference_a_thousand_deep_is_shown_by_both_ends_of_its_path() -> None:
    left: list[Any] = [1]
    right: list[Any] = [2]
    for _ in range(500):
        left, right = [left], [right]
    score = scored([("f", {"a": left})], [("f", {"a": right})])

    assert lines(score, width=80)[2].startswith("  ~ a[0][0][0][0]")


def test_colours_follow_the_status_of_a_call() -> None:
    score = scored([("a", {}), ("b", {"x": 1}), ("c", {})], [("a", {}), ("b", {"x": 2}), ("d", {})])

    styles: dict[str, Style] = {
        line[1][0]: line[1][1] for line in call_lines(score) if line[0][0] == ""
    }
    text = rich_text(call_lines(score))

    assert styles == {" ": "", "=": "correct", "~": "incorrect", "-": "missed", "+": "extra"}
    assert (
        text.plain.rstrip()
        == "\n".join("".join(text for text, _ in line) for line in call_lines(score)).rstrip()
    )
    assert {str(span.style) for span in text.spans} >= {"green", "yellow", "red", "magenta", "bold"}


def forbidden_example() -> Score:
    """One call right, one that must not be made, one that nobody expected."""
    made = (ToolCall("a", {}), ToolCall("delete", {"id": 7}), ToolCall("b", {}))
    return Score((ToolCall("a", {}),), made, 1, forbidden=(1,))


def test_a_forbidden_call_has_a_mark_of_its_own_and_the_headline_names_it() -> None:
    shown = diff_lines(forbidden_example())

    assert plain_text(shown).split("\n") == [
        "Score 0.0%   Precision 33.3%   Recall 100.0%   Poor   1 forbidden call",
        "",
        "  Expected    Actual",
        "= a()         a()",
        "! forbidden   delete(id=7)",
        "+             b()",
    ]
    assert {style for text, style in shown[4][:5] if text.strip()} == {"forbidden"}
    assert "bold red" in {str(span.style) for span in rich_text(shown).spans}


def test_a_forbidden_call_is_marked_in_russian_as_well() -> None:
    text = plain_text(diff_lines(forbidden_example(), lang="ru"))

    assert text.startswith("Оценка 0.0%   Precision 33.3%   Recall 100.0%   Плохо   1 запрещённый")
    assert "! запрещён           delete(id=7)" in text


def test_calls_that_do_not_count_are_counted_below() -> None:
    ignored = [Ignored(ToolCall("get", {}), "actual", "read")] * 2
    calls = (ToolCall("a", {}),)
    score = Score(calls, calls, 1, ignored=tuple(ignored))

    shown = call_lines(score)

    assert plain_text(shown).split("\n")[1:] == [
        "= a()        a()",
        "  … 2 actual calls not counted: 2 reads",
    ]
    assert {style for text, style in shown[-1] if text.strip()} == {"muted"}


def test_where_no_call_counts_that_is_said_and_not_that_there_was_none() -> None:
    ignored = (Ignored(ToolCall("get", {}), "actual", "read"),)

    assert lines(Score((), (), 0, ignored=ignored)) == [
        "No call counts under these settings.",
        "… 1 actual call not counted: 1 read",
    ]


def test_what_the_schemas_say_stands_below_the_calls() -> None:
    calls = (ToolCall("a", {}), ToolCall("book", {"sets": 1}))
    faults = (Fault("unknown_tool", "book", 1),) * 22

    few = lines(Score(calls, calls, 2, faults=faults[:1]))
    many = lines(Score(calls, calls, 2, faults=faults), lang="ru")

    assert few[3:] == [
        "  Schema errors:",
        "    actual 2 book: unknown tool",
    ]
    assert many[3:5] == [
        "  Ошибки по схемам:",
        "    фактический 2 book: неизвестный инструмент",
    ]
    assert many[-1] == "    … ещё 2"
    assert lines(Score(calls, calls, 2, faults=())) == lines(Score(calls, calls, 2))


def test_a_rule_that_is_not_met_is_shown_against_the_value_with_what_it_says() -> None:
    wanted = {"price": Matcher("$approx", 3.14, {"abs": 0.01}), "city": Matcher("$contains", "Par")}
    near = Matcher("$text", "New York", {"similarity": 0.9})
    expected = (ToolCall("f", {**wanted, "to": near}),)
    score = score_calls(expected, (ToolCall("f", {"price": 3.2, "to": "New Cork"}),), Settings())

    assert lines(score) == [
        "  Expected                                 Actual",
        "~ f                                        f",
        "  ~ price: $approx 3.14 ± 0.01               price: 3.2",
        '  - city: $contains "Par"                    not given',
        '  ~ to: $text "New York", similarity 0.9     to: "New Cork"',
        "    similarity 0.87 < 0.9",
    ]


@pytest.mark.parametrize("width", [40, 100])
def test_names_of_forbidden_and_faulty_calls_are_shown_and_not_obeyed(width: int) -> None:
    hostile = "\x1b[31m\n" * 50
    calls = (ToolCall(hostile, {hostile: hostile}),)
    fault = Fault("unknown_tool", hostile, 0, required=hostile)
    ignored = (Ignored(calls[0], "actual", "failed"),)
    score = Score((), calls, 0, forbidden=(0,), faults=(fault,), ignored=ignored)

    shown = lines(score, width=width)

    assert "\x1b" not in "".join(shown)
    assert max(map(display_width, shown)) <= width


def test_a_call_that_was_made_in_another_order_says_so_below_the_missed_one() -> None:
    chain = Group("in_order", (ToolCall("login", {}), ToolCall("pay", {})))
    made = (ToolCall("pay", {}), ToolCall("login", {}))
    score = score_calls((chain, ToolCall("other", {})), made, Settings())

    shown = call_lines(score)

    assert plain_text(shown).split("\n")[1:] == [
        "+            pay()",
        "= login()    login()",
        "- pay()",
        "    called, but not in this order",
        "- other()",
    ]
    assert {style for text, style in shown[4] if text.strip()} == {"muted"}
    assert "    вызван, но в другом порядке" in lines(score, lang="ru")


def test_an_extra_call_says_below_itself_what_would_have_been_allowed() -> None:
    once = Times(ToolCall("search", {"q": "x" * 200}), 1, 2)
    made = (once.call, ToolCall("search", {"q": "y"}))
    score = score_calls((once,), made, Settings())

    shown = call_lines(score, width=60)

    assert '\n    differs from the call in the reference:\n    search(q="xxx' in plain_text(shown)
    assert max(display_width(plain_text([line])) for line in shown) <= 60
    assert {style for text, style in shown[-1] if text.strip()} == {"muted"}


def test_the_faults_of_calls_that_do_not_count_are_shown_by_their_place_in_the_trace() -> None:
    ignored = (Ignored(ToolCall("get", {}), "actual", "read"),)
    fault = (Fault("unknown_tool", "get", 0),)
    calls = (ToolCall("a", {}),)

    assert lines(Score((), (), 0, ignored=ignored, faults=fault)) == [
        "No call counts under these settings.",
        "… 1 actual call not counted: 1 read",
        "Schema errors:",
        "  call 1 of the trace, get: unknown tool",
    ]
    counted = lines(Score(calls, calls, 1, ignored=ignored, faults=fault), lang="ru")
    assert counted[-1] == "    вызов 1 трассы, get: неизвестный инструмент"


def test_names_and_paths_that_are_cut_stay_different() -> None:
    methods = [{"payment_identifier": "a"}, {"payment_identifier": "a"}]
    others = [{"payment_identifier": "b"}, {"payment_identifier": "b"}]
    score = scored(
        [
            ("update_reservation_passenger_seat_assignment", {"payment_methods": methods}),
            ("update_reservation_passenger_baggage_allowance", {}),
        ],
        [
            ("update_reservation_passenger_seat_assignment", {"payment_methods": others}),
            ("update_reservation_passenger_baggage_preference", {}),
        ],
    )

    shown = lines(score, width=50)

    assert max(map(display_width, shown)) <= 50
    assert [line.split()[-1] for line in shown if "update" in line or "…" in line] != []
    rows = [line for line in shown if line.startswith("  ~")]
    assert len(set(rows)) == len(rows) == 2
    missed, extra = (next(line for line in shown if line[0] == mark) for mark in "-+")
    assert missed.removeprefix("-").strip() != extra.removeprefix("+").strip()


def test_long_values_are_cut_around_the_difference_and_between_words() -> None:
    start, end = "We ask you to come back ", " as soon as you can, before noon"
    score = scored([("f", {"t": start + "today" + end})], [("f", {"t": start + "later" + end})])

    assert (
        lines(score, width=60)[2] == '  ~ t: "…back today as soon…"     t: "…back later as soon…"'
    )


def test_a_note_is_wrapped_between_words() -> None:
    fault = Fault("invalid_value", "f", 0, "$.day", "x", required=[1, 2], keyword="enum")
    score = Score((), (ToolCall("f", {"day": "x"}),), 0, faults=(fault,))

    shown = lines(score, width=40)

    assert shown[-2:] == ["    actual 1 f: day: must be one of 1,", '      2, got "x"']


@pytest.mark.parametrize(
    ("expected", "actual", "note"),
    [
        ("café", "cafe\u0301", "character 4: U+00E9 / U+0065 U+0301"),
        ("A1", "\u04101", "character 1: U+0041 / U+0410"),
        ("a b", "a\u00a0b", "character 2: U+0020 / U+00A0"),
        ("ab", "a\u200bb", "character 2: none / U+200B"),
        ("a-b", "a–b", "character 2: U+002D / U+2013"),
        ("Oslo", "Oslo ", "character 5: none / U+0020"),
    ],
)
def test_values_that_look_the_same_are_shown_with_their_code_points(
    expected: str, actual: str, note: str
) -> None:
    score = scored([("f", {"x": expected})], [("f", {"x": actual})])
    looks = "looks the same, " if actual.isprintable() else ""  # else it is shown escaped
    sentence = f"{looks}differs at {note}"

    assert lines(score)[3] == f"    {sentence}"
    assert sentence in score.explain()
    assert score.to_dict()["incorrect"][0]["differences"][0]["reason"].endswith(f"({sentence})")


def test_names_that_look_the_same_are_shown_with_their_code_points() -> None:
    tools = scored([("search", {})], [("se\u0430rch", {})])
    keys = scored([("f", {"city": 1})], [("f", {"c\u0456ty": 1})])

    assert "    looks the same, differs at character 3: U+0061 / U+0430" in lines(tools)
    assert "(looks the same, differs at character 3: U+0061 / U+0430)" in tools.explain()
    assert "    looks the same, differs at character 2: U+0069 / U+0456" in lines(keys)
    assert "    выглядит так же, отличается символ 2: U+0069 / U+0456" in lines(keys, lang="ru")


@pytest.mark.parametrize("length", range(12, 24))
def test_a_name_that_takes_all_the_room_still_shows_that_there_are_arguments(length: int) -> None:
    name = "n" * length
    score = scored([(name, {"a": "x" * 40})], [(name, {"a": "x" * 40})])

    shown = lines(score, width=40)

    assert max(map(display_width, shown)) <= 40
    assert "".join(shown).count(name) == 2 if length < 18 else 1
    assert shown[-1].endswith("…)")


def test_names_are_not_cut_if_the_other_side_is_narrow() -> None:
    extra = lines(scored([], [("find_order", {"number": 17})]), width=60)
    missed = lines(scored([("find_order", {"number": 17})], []), width=60)

    assert extra[1].split() == ["+", "find_order(number=17)"]
    assert missed[1].split() == ["-", "find_order(number=17)"]


PATHS = {
    "customer": {
        "billing": {"address": {"street": "Harbour Street 17"}},
        "shipping": {"address": {"street": "Harbour Street 17"}},
    },
    "payments": [{"id": "P-0000000001", "price": 1}, {"id": "P-0000000001", "price": 1}],
}
OTHER_PATHS = {
    "customer": {
        "billing": {"address": {"street": "Harbour Street 17"}},
        "shipping": {"address": {"street": "Harbour Street 71"}},
    },
    "payments": [{"id": "P-0000000001", "price": 1}, {"id": "P-0000000002", "price": 1}],
}


def test_a_path_without_room_has_a_line_of_its_own() -> None:
    assert lines(scored([("f", PATHS)], [("f", OTHER_PATHS)]), width=50)[2:] == [
        "  ~ customer.shipping.address.street:",
        '    "Harbour Street 17"     "Harbour Street 71"',
        "  ~ payments[1].id:",
        '    "P-0000000001"          "P-0000000002"',
    ]


def test_a_name_without_room_has_a_line_of_its_own() -> None:
    name = "update_the_reservation_of_a_passenger"
    wrong = scored([(name, {"seat": 1})], [(name, {"seat": 2})])
    right = scored([(name, {"seat": 1})], [(name, {"seat": 1})])

    assert lines(wrong, width=50)[1:] == [f"~ {name}", "  ~ seat: 1     seat: 2"]
    assert lines(right, width=50)[1:] == [f"= {name}", "    (seat=1)     (seat=1)"]


@pytest.mark.parametrize("name", ["make_note", "заметка", "記録"])
@pytest.mark.parametrize("width", [50, 100])
def test_the_widest_call_may_have_no_arguments(name: str, width: int) -> None:
    same = scored([(name, {})], [(name, {})])
    any_arguments = score_calls((ToolCall(name),), (ToolCall(name, {}),), Settings())

    assert [len(line.split("()")) for line in lines(same, width=width)[1:]] == [3]
    assert len(lines(any_arguments, width=width)) == 2


def test_a_call_without_a_partner_takes_the_room_of_the_other_side() -> None:
    name, calls = "find_reservation", [{"reservation_id": f"HXDUB{end}"} for end in "JK"]
    missed = lines(scored([(name, each) for each in calls], []), width=50)
    extra = lines(scored([], [(name, each) for each in calls]), width=50)

    assert missed[1:] == [f'- {name}(reservation_id="HXDUB{end}")' for end in "JK"]
    assert extra[1:] == [f'+        {name}(reservation_id="HXDUB{end}")' for end in "JK"]


def test_calls_of_one_tool_are_cut_where_they_differ() -> None:
    calls = [{"text": "the same beginning " * 5 + end} for end in ("one", "two")]
    missed = lines(scored([("f", each) for each in calls], []), width=50)

    assert [line[-5:] for line in missed[1:]] == ['one")', 'two")']


def test_the_differences_of_a_long_string_that_are_not_shown_are_counted() -> None:
    text = "Dear {}, your order of Monday will arrive in {} on {}, at noon."
    expected = text.format("Anna", "Oslo", "Friday")
    first = scored([("f", {"t": expected})], [("f", {"t": text.format("Anne", "Oslo", "Friday")})])
    three = scored([("f", {"t": expected})], [("f", {"t": text.format("Anne", "Riga", "Sunday")})])

    assert not any("more" in line for line in lines(first, width=60))
    assert lines(three, width=60)[3] == "    … 2 more differences"
    assert not any("more" in line for line in lines(three, width=200))


def test_the_actual_side_has_all_the_room_that_the_expected_side_leaves() -> None:
    item = {"field": "owner", "operator": "equals", "value": "me"}
    score = scored(
        [("f", {"filter": {"conditions": [{"value": "uk"}]}})],
        [("f", {"filter": {"conditions": [{"value": "us"}, item]}})],
    )

    assert lines(score, width=60)[-1].endswith('{"field": "owner", "operator": "equals…')


_JSON = st.recursive(
    st.sampled_from(["a", "", 1, 1.0, True, False, 0, None, 10**400, float("nan")]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xyz"), inner),
    max_leaves=5,
)
_ANY_CALLS = st.lists(
    st.tuples(st.sampled_from("fg"), st.dictionaries(st.sampled_from("ab"), _JSON)), max_size=4
)


@given(_ANY_CALLS, _ANY_CALLS)
def test_in_strict_mode_a_correct_call_without_rules_has_no_differences(
    expected: Calls, actual: Calls
) -> None:
    score = scored(expected, actual)

    assert [pair for pair in score.correct if pair.differences] == []


def test_each_value_is_rendered_once_whatever_the_widths(monkeypatch: pytest.MonkeyPatch) -> None:
    rendered: list[Any] = []

    def count(arguments: dict[str, Any], limit: int) -> str | None:
        rendered.append(arguments)
        return plain_arguments_text(arguments, limit)

    monkeypatch.setattr(diff_pairs, "plain_arguments_text", count)
    calls: Calls = [("search", {"text": "many words " * number}) for number in range(9)]
    reversed_keys: tuple[Calls, Calls] = [("f", {"a": 1, "b": 2})], [("f", {"b": 2, "a": 1})]

    call_lines(scored(calls, calls), width=80)
    assert len(rendered) == len(calls)

    call_lines(scored(*reversed_keys), width=80)
    assert len(rendered) == len(calls) + 2


@pytest.mark.parametrize("length", range(36, 48))
def test_rows_do_not_depend_on_the_widths_that_were_tried_before(
    length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    score = scored([("b", {"q": "y" * length})], [("b", {"k": "z" * (length + 1)})])
    shown = lines(score)
    # Rows that are drawn anew for each width.
    monkeypatch.setattr(diff_pairs, "_inline_cells", lambda *_: None)

    assert lines(score) == shown


_TEXTS = st.text('ab …"\\é世\n0O', max_size=12) | st.sampled_from(
    ["many words in a row " * 3, "y" * 43, "y" * 44]
)
_VALUES = st.recursive(
    _TEXTS | st.sampled_from([1, 1.0, True, None, 10**400, float("nan"), -0.0]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xyz"), inner),
    max_leaves=4,
)
_NAMES = st.sampled_from(["f", "f ", "поиск", "検索", "name…", "n" * 45, "n" * 99, "l1", "ll"])
_DRAWN_CALLS = st.lists(
    st.tuples(_NAMES, st.dictionaries(st.sampled_from(["a", "ключ", "k k", "p" * 30]), _VALUES)),
    max_size=3,
)


def test_no_line_of_a_text_ends_with_the_space_of_a_name() -> None:
    score = scored([("f ", {"a": 1})], [("f ", {"a": 2})])

    assert calls_text(score) == plain_text(call_lines(score))


@given(_DRAWN_CALLS, _DRAWN_CALLS, st.integers(40, 130), st.sampled_from(["en", "ru"]))
def test_what_is_written_at_once_is_what_is_drawn_row_by_row(
    expected: Calls, actual: Calls, width: int, lang: Language
) -> None:
    score = scored(expected, [*expected[:1], *actual])
    shown = lines(score, width=width, lang=lang)
    assert score_text(score, width=width, lang=lang) == plain_text(
        diff_lines(score, width=width, lang=lang)
    )

    with pytest.MonkeyPatch.context() as monkeypatch:
        for quick in ("plain_arguments_text", "plain_value_text"):
            monkeypatch.setattr(diff_pairs, quick, lambda *_: None)
        assert lines(score, width=width, lang=lang) == shown


def test_precision_is_not_shown_if_it_is_1_whatever_was_called() -> None:
    wrong: tuple[Calls, Calls] = [("f", {"n": 1})], [("f", {"n": 2})]

    assert score_text(scored(*wrong)).startswith("Score 0.0%   Precision 0.0%   Recall 0.0%   Poor")
    free = scored(*wrong, Settings(extra_calls="free"))
    assert score_text(free).startswith("Score 0.0%   Recall 0.0%   Poor")
    assert score_text(free, lang="ru").startswith("Оценка 0.0%   Recall 0.0%   Плохо")
    reads = scored(*wrong, Settings(extra_calls="reads_free"))
    assert score_text(reads).startswith("Score 0.0%   Precision 0.0%")
