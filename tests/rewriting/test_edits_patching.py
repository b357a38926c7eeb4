"""Values that change inside of calls, at their places, in everything that cases are written in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.rewriting.texts import rewritten

from callscore import expect

if TYPE_CHECKING:
    from pathlib import Path

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
        ("- &it {name: g, arguments: {x: 1, r: {$any: true}}}\n    - *it", "more would change"),
        ("- {name: g, arguments: {x: &v 1, r: {$any: true}}}\n    - {name: g, arguments: {x: *v, r: {$any: true}}}", "an anchor or an alias stands there"),
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
