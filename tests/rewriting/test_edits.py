"""A list in brackets with other items in it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from tests.rewriting.texts import rewritten

from callscore import expect
from callscore.rewriting.case_records import patched_expectation, with_whole_calls
from callscore.rewriting.change import Change, Edit, FoundExpectation, Patch
from callscore.rewriting.edits import (
    ListStyle,
    TextNode,
    apply_edits,
    assign_slots,
    combine_edits,
    diff_lines,
    indent_at,
    keep_comment,
    line_number_at,
    loses_comments,
    quote,
    replace_items,
)

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.rewriting.change import Item

A: Item = {"name": "A"}
B: Item = {"name": "B"}


def _node(text: str) -> TextNode:
    """Where a list of numbers stands."""
    start = text.index("[")
    items = [TextNode(found.start(), found.end()) for found in re.finditer(r"\d+", text)]
    return TextNode(start, text.index("]") + 1, tuple(items))


@pytest.mark.parametrize(
    ("before", "items", "after"),
    [
        ("[1, 2]", [0, 1], "[1, 2]"),
        ("[1, 2]", [1, 0], "[2, 1]"),
        ("[1, 2]", [0, A], "[1, A]"),
        ("[1, 2]", [A, B, 1], "[A, B, 2]"),
        ("[ 1, 2 ]", [1], "[ 2 ]"),
        ("[1, 2]", [], "[]"),
        ("[]", [A, B], "[A, B]"),
        ("[\n  1, # one\n  2, # two\n]", [0, 1, A], "[\n  1, # one\n  2, # two\n  A,\n]"),
        ("[\n  1, # one\n  2\n]", [0, 1, A], "[\n  1, # one\n  2,\n  A\n]"),
        ("[\n  1, # one\n  2, # two\n]", [1], "[\n  2, # two\n]"),
        ("[\n  1, # one\n  2, # two\n]", [0], "[\n  1, # one\n]"),
        ("[\n  1, # one\n  2, # two\n]", [A, 1], "[\n  A, # one\n  2, # two\n]"),
        ("[\n  1, # one\n  2  # two\n]", [0], "[\n  1 # one\n]"),
        ("[\n  1, # one\n  2  # two\n]", [0, 1, A], "[\n  1, # one\n  2,  # two\n  A\n]"),
        ("[\n  # one\n  1,\n  # two\n  2,\n  # end\n]", [1], "[\n  # two\n  2,\n  # end\n]"),
        ("[\n  1\n  , 2 # a, b\n]", [0, 1], "[\n  1\n  , 2 # a, b\n]"),
        ("[\n  1 # a, b\n  , 2\n]", [1, 0], "[\n  2,\n  1 # a, b\n]"),
        ("[1, # one\n 2]", [0], "[1 # one\n]"),
        ("[ # none\n]", [A, B], "[ # none\n    A,\n    B,\n]"),
        ("[ # all\n  1, # one\n  # end\n]", [], "[ # all\n  # end\n]"),
        ("[ # all\n  1]", [], "[ # all\n]"),
        ("[\n  1, # one\n]", [], "[]"),
        ("[1,\n 2]", [0, 1, A], "[1,\n 2,\n    A]"),
        ("[1, # one\n]", [0, A], "[1, # one\n    A,\n]"),
    ],
)
def test_what_stays_stays_as_it_is_written(before: str, items: list[Item], after: str) -> None:
    writing = ListStyle(lambda call, _: str(call["name"]))

    assert replace_items(before, _node(before), items, writing) == after


def test_a_list_that_does_not_fit_a_line_has_one_for_each_item() -> None:
    writing = ListStyle(
        lambda call, indent: f"{call['name']}({len(indent)})", width=10, trailing=""
    )

    new = replace_items("  x = [];", TextNode(6, 8, ()), [A, B], writing)

    assert new == "[\n      A(6),\n      B(6)\n  ]"


def test_new_items_take_the_places_that_are_free() -> None:
    assert assign_slots([A, 2, B, 0, A], 4) == [1, 2, 3, 0, None]


def test_a_position_has_a_line_and_an_indent() -> None:
    assert line_number_at("a\nb\nc", 4) == 3
    assert indent_at("a\n  b = 1", 8) == "  "


def test_a_text_in_quotes_hides_nothing() -> None:
    assert quote('a"\\\n\u200b') == '"a\\"\\\\\\n\\u200b"'


# Edits that are put together, and whole calls in place of patches.

CALL = {"name": "f", "arguments": {"x": 1, "y": {"z": 2}}}
PATCH = Patch(call=(0,), path=("x",), value=5)


def _change(*patches: Patch, expected: Any) -> Change:
    items = tuple(range(len(expected or ())))
    return Change(label="x", files=("a",), expected=expected, items=items, patches=patches)


def test_two_steps_are_one() -> None:
    text = "keep [a, b] keep"
    first = FoundExpectation((Edit(6, 7, "AA"),), ("p",), None, "id")
    between = apply_edits(text, first.edits)
    second = FoundExpectation((Edit(8, 11, ""), Edit(5, 6, "(")), ("p",), "value")

    both = combine_edits(text, first, between, second)

    assert apply_edits(text, both.edits) == apply_edits(between, second.edits) == "keep (AA] keep"
    assert (both.path, both.value, both.id) == (("p",), "value", "id")


def test_whole_calls_take_the_place_of_patches_where_no_rule_is_lost() -> None:
    whole = with_whole_calls(_change(PATCH, expected=[CALL]))

    assert whole is not None
    assert whole.items == ({"name": "f", "arguments": {"x": 5, "y": {"z": 2}}},)
    assert not whole.patches
    rule = {"name": "f", "arguments": {"x": 1, "y": {"$any": True}}}
    for expected in ([rule], [{**CALL, "times": {"min": 1}}], [{"any_order": [CALL]}], None):
        assert with_whole_calls(_change(PATCH, expected=expected)) is None


def test_what_is_expected_is_spelled_with_the_patches() -> None:
    literal = Patch(call=(0,), path=("y", "z"), value={"$a": 1})

    spelled = patched_expectation(_change(PATCH, literal, expected=[CALL]))

    assert spelled == [{"name": "f", "arguments": {"x": 5, "y": {"z": {"$literal": {"$a": 1}}}}}]
    assert patched_expectation(_change(PATCH, expected=None)) is None


def test_comments_that_would_go_are_noticed() -> None:
    text = "a  # one\nb"

    assert loses_comments(text, FoundExpectation((Edit(0, 8, "c"),), (), None))
    assert not loses_comments(text, FoundExpectation((Edit(0, 1, "c"),), (), None))


def test_the_lines_that_change_are_shown() -> None:
    text = "a\nb: 1\nc\n"

    assert diff_lines(text, [Edit(5, 6, "2")]) == ("- b: 1", "+ b: 2")
    assert diff_lines(text, [Edit(6, 6, "\nnew")]) == ("+ new",)


def test_of_a_long_line_only_what_is_around_the_change_is_shown() -> None:
    text = "x" * 200 + "OLD" + "y" * 200

    before, after = diff_lines(text, [Edit(200, 203, "NEWER")])

    assert before == "- …" + "x" * 40 + "OLD" + "y" * 40 + "…"
    assert after == "+ …" + "x" * 40 + "NEWER" + "y" * 40 + "…"


# The comment behind the first line of a call stays; those of its arguments go with them.

NEW = ["- name: g", "  arguments:", "    x: 2"]


@pytest.mark.parametrize(
    ("old", "comment"),
    [
        (["- name: f  # tool", "  arguments: {x: 1} # args"], "  # tool"),
        (["- {name: f}  # all"], "  # all"),
        (["# above", "- name: f", "  arguments:", "    x: 1  # one"], ""),
        (["- name: 'a # b'  # c"], "  # c"),
        (["- name: a#b"], ""),
        (["- name: |  # no", "    # text", "  x: |", "    y  # text"], ""),
        ([], ""),
    ],
)
def test_the_comment_behind_the_first_line_stays(old: list[str], comment: str) -> None:
    assert keep_comment(NEW, old) == [NEW[0] + comment, *NEW[1:]]


def test_tables_have_comments_too() -> None:
    old = ["[[cases.expected]] # first", 'name = "f" # why', "arguments.x = 1 # one"]
    new = ["[[cases.expected]]", 'name = "g"', "arguments = { x = 2 }"]

    assert keep_comment(new, old) == ["[[cases.expected]] # first", *new[1:]]


# Values that change inside of calls, at their places, in everything that cases are written in.

# `d` holds and stays, `city` is wrong, `n` was not given, and `new` was.
BOOK = expect.call("book", d=expect.regex("^D"), city="Paris", n=1)
MADE = {"name": "book", "arguments": {"new": [1, {"a": 2}], "city": "London", "d": "Delft"}}

FILES = {
    "block.yaml": (
        """\
- id: a
  input: hi
  expected:
    # about it
    - name: book  # the call
      arguments:
        # a rule
        d: {$regex: ^D}  # keep
        city: Paris  # town
        n: 1  # number
        # end
""",
        """\
- id: a
  input: hi
  expected:
    # about it
    - name: book  # the call
      arguments:
        # a rule
        d: {$regex: ^D}  # keep
        city: London  # town
        new: [1, {a: 2}]
        # end
""",
    ),
    "flow.yaml": (
        "- {id: a, input: hi, expected: [{name: book, args: {d: {$regex: ^D}, city: Paris, n: 1}}]}\n",
        (
            "- {id: a, input: hi, expected: [{name: book, args: {d: {$regex: ^D}, city: London,"
            " new: [1, {a: 2}]}}]}\n"
        ),
    ),
    "tall.yaml": (
        """\
- id: a
  input: hi
  expected: [{name: book, arguments: {
     n: 1,  # gone
     # about d
     d: {$regex: ^D},
     city: Paris  # town
     }}]
""",
        """\
- id: a
  input: hi
  expected: [{name: book, arguments: {
     # about d
     d: {$regex: ^D},
     city: London,  # town
     new: [1, {a: 2}]
     }}]
""",
    ),
    "tall.json": (
        """\
[{"id": "a", "input": "hi", "expected": [
  {"name": "book", "arguments": {
    "d": {"$regex": "^D"},
    "city": "Paris",
    "n": 1
  }}
]}]
""",
        """\
[{"id": "a", "input": "hi", "expected": [
  {"name": "book", "arguments": {
    "d": {"$regex": "^D"},
    "city": "London",
    "new": [1, {"a": 2}]
  }}
]}]
""",
    ),
    "x.jsonl": (
        '{"id":"a","input":"hi","expected":[["book",{"n":1,"d":{"$regex":"^D"},"city":"Paris"}]]}\n',
        (
            '{"id":"a","input":"hi","expected":'
            '[["book",{"d":{"$regex":"^D"},"city":"London","new":[1,{"a":2}]}]]}\n'
        ),
    ),
    "line.toml": (
        (
            '[[cases]]\nid = "a"\ninput = "hi"\n# calls\nexpected = [{ name = "book", arguments ='
            ' { d = {"$regex" = "^D"}, city = "Paris", n = 1 } }]  # here\n'
        ),
        (
            '[[cases]]\nid = "a"\ninput = "hi"\n# calls\nexpected = [{ name = "book", arguments ='
            ' { d = {"$regex" = "^D"}, city = "London", new = [1, { a = 2 }] } }]  # here\n'
        ),
    ),
    "tables.toml": (
        """\
[[cases]]
id = "a"
input = "hi"

[[cases.expected]]
name = "book"
[cases.expected.arguments]
d = {"$regex" = "^D"}  # keep
# about city
city = "Paris" # town
n = 1 # number

[settings]
mode = "strict"
""",
        """\
[[cases]]
id = "a"
input = "hi"

[[cases.expected]]
name = "book"
[cases.expected.arguments]
d = {"$regex" = "^D"}  # keep
# about city
city = "London" # town
new = [1, { a = 2 }]

[settings]
mode = "strict"
""",
    ),
    "calls.py": (
        """\
from callscore import Case, expect

CASES = [
    Case(
        "hi",
        id="a",
        expected=[
            expect.call(
                "book",
                d=expect.regex("^D"),  # keep
                # about city
                city="Paris",  # town
                n=1,  # number
            ),
        ],
    )
]
""",
        """\
from callscore import Case, expect

CASES = [
    Case(
        "hi",
        id="a",
        expected=[
            expect.call(
                "book",
                d=expect.regex("^D"),  # keep
                # about city
                city="London",  # town
                new=[1, {"a": 2}],
            ),
        ],
    )
]
""",
    ),
    "objects.py": (
        (
            'CASES = [{"id": "a", "input": "hi", "expected": [{"name": "book",'
            ' "arguments": {"n": 1, "city": "Paris", "d": {"$regex": "^D"}}}]}]\n'
        ),
        (
            'CASES = [{"id": "a", "input": "hi", "expected": [{"name": "book",'
            ' "arguments": {"city": "London", "d": {"$regex": "^D"}, "new": [1, {"a": 2}]}}]}]\n'
        ),
    ),
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_only_what_was_wrong_is_written(name: str, end: str, tmp_path: Path) -> None:
    before, after = FILES[name]
    file = tmp_path / name

    rewritten(file, before.replace("\n", end), [BOOK], [MADE])

    assert file.read_bytes().decode() == after.replace("\n", end)


GROUPS = {
    "x.yaml": (
        (
            "- id: a\n  input: hi\n  expected:\n    - any_order:\n        - name: h\n"
            "        - {name: book, args: {d: {$regex: ^D}, city: Paris, n: 1}}  # last\n    - name: zz\n"
        ),
        (
            "- id: a\n  input: hi\n  expected:\n    - any_order:\n        - name: h\n"
            "        - {name: book, args: {d: {$regex: ^D}, city: London, new: [1, {a: 2}]}}  # last\n"
            "    - name: yy\n      arguments:\n        y: 1\n"
        ),
    ),
    "x.py": (
        (
            "from callscore import Case, expect\n\n"
            'CASES = [Case("hi", id="a", expected=[expect.any_order(expect.call("h"), expect.call(\n'
            '    "book", d=expect.regex("^D"), city="Paris", n=1)), expect.call("zz")])]\n'
        ),
        (
            "from callscore import Case, expect\n\n"
            'CASES = [Case("hi", id="a", expected=[expect.any_order(expect.call("h"), expect.call(\n'
            '    "book", d=expect.regex("^D"), city="London", new=[1, {"a": 2}])),'
            ' expect.call("yy", y=1)])]\n'
        ),
    ),
}


@pytest.mark.parametrize("name", GROUPS)
def test_a_call_in_a_group_changes_inside_of_it(name: str, tmp_path: Path) -> None:
    before, after = GROUPS[name]
    expected = [expect.any_order(expect.call("h"), BOOK), expect.call("zz")]

    text, refusal = rewritten(tmp_path / name, before, expected, [MADE, "h", ("yy", {"y": 1})])

    assert not refusal
    assert text.replace('"y":', "y:") == after


def test_values_change_deep_inside_of_arguments(tmp_path: Path) -> None:
    case = "- id: a\n  input: hi\n  expected:\n    - name: f\n      arguments:\n{}"
    before = case.format(
        "        y: 1   # y\n        n: {a: 1, b: {$any: true}, l: [1, {$any: true}]}\n"
    )
    wanted = {"y": 1, "n": {"a": 1, "b": expect.any(), "l": [1, expect.any()]}}
    made = {"y": 1, "n": {"a": 2, "b": 3, "c": 4, "l": [5, 6]}}

    text, refusal = rewritten(
        tmp_path / "x.yaml", before, [expect.call("f", wanted)], [("f", made)]
    )

    assert not refusal
    assert text == case.format(
        "        y: 1   # y\n        n: {a: 2, b: {$any: true}, l: [5, {$any: true}], c: 4}\n"
    )


def _block(arguments: str) -> str:
    return f"- id: a\n  input: hi\n  expected:\n    - name: f\n      arguments:{arguments}\n"


@pytest.mark.parametrize(
    ("before", "wanted", "made", "after"),
    [
        (" {}", {}, {"x": 1}, " {x: 1}"),
        ("\n        x: 1", {"x": 1}, {}, "\n        {}"),
        ("\n        x:\n        y: 2", {"x": None, "y": 2}, {"x": 1, "y": 2}, "\n        x: 1\n        y: 2"),
        (" {x: 1, y: 2}", {"x": 1, "y": 2}, {"y": 2}, " {y: 2}"),
        (" {x: 1, y: 2}", {"x": 1, "y": 2}, {"x": 1}, " {x: 1}"),
        (" {x: 1, y: 2, z: 3}", {"x": 1, "y": 2, "z": 3}, {"x": 1, "w": 4}, " {x: 1, w: 4}"),
        ("\n        x: |\n          old\n        y: 2", {"x": "old\n", "y": 2}, {"x": "new", "y": 2}, "\n        x: new\n        y: 2"),
    ],
)  # fmt: skip
def test_members_come_and_go(
    before: str, wanted: dict[str, Any], made: dict[str, Any], after: str, tmp_path: Path
) -> None:
    text, refusal = rewritten(
        tmp_path / "x.yaml", _block(before), [expect.call("f", wanted)], [("f", made)]
    )

    assert not refusal
    assert text == _block(after)


@pytest.mark.parametrize(
    ("before", "why"),
    [
        ("- &it {name: g, arguments: {x: 1, r: {$any: true}}}\n    - *it", "the update would change more than the expected calls"),
        ("- {name: g, arguments: {x: &v 1, r: {$any: true}}}\n    - {name: g, arguments: {x: *v, r: {$any: true}}}", "the expected calls use a YAML anchor or alias"),
    ],
)  # fmt: skip
def test_what_cannot_be_changed_alone_is_refused(before: str, why: str, tmp_path: Path) -> None:
    case = f"- id: a\n  input: hi\n  expected:\n    {before}\n"
    calls = [expect.call("g", x=1, r=expect.any()), expect.call("g", x=1, r=expect.any())]

    text, refusal = rewritten(
        tmp_path / "x.yaml", case, calls, [("g", {"x": 2, "r": 1}), ("g", {"x": 1, "r": 1})]
    )

    assert why in refusal
    assert text == case


def test_a_call_whose_arguments_are_text_is_written_anew_if_it_has_no_rules(tmp_path: Path) -> None:
    case = '[{"id": "a", "input": "hi", "expected": [{"name": "f", "arguments": "{\\"x\\": 1}"}]}]'

    text, refusal = rewritten(
        tmp_path / "x.json", case, [expect.call("f", x=1)], [("f", {"x": 2, "$y": 3})]
    )

    assert not refusal
    assert text.endswith(
        '"expected": [{"name": "f", "arguments": {"$literal": {"x": 2, "$y": 3}}}]}]'
    )
