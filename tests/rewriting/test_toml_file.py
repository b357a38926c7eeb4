"""TOML is rewritten in place: comments, order and blanks stay as they are."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.rewriting.texts import LONDON, PARIS, change, rewritten
from tests.rewriting.toml_texts import layouts, suites

from callscore import expect, score
from callscore.core.equality import equal
from callscore.rewriting.applying import rewrite
from callscore.rewriting.change import CannotRewrite
from callscore.rewriting.toml_file import scan_toml

if TYPE_CHECKING:
    from pathlib import Path

    from tests.rewriting.toml_texts import Layout, Suite

INLINE = """\
# on top
name = "x"
[[cases]]
id = "a"   # one
input = "hi"
# why
expected = [
  { name = "getWeather", arguments = { location = "Paris" } }, # here
  # second
  { name = "calc", arguments = { a = 1, b = { "$approx" = 2 } } },
]
tags = ["smoke"]

[[cases]]
id = "b"
input = "other"
expected = []
"""

TABLES = """\
name = "x"

[[cases]]
id = "a"
input = "hi"

# first
[[cases.expected]]
name = "getWeather"
[cases.expected.arguments]
location = "Paris"

[[cases.expected]]
name = "calc"  # keep
arguments = { a = 1, b = { "$approx" = 2 } }

# the last
[[cases]]
id = "b"
input = "other"
expected = []

[settings]
mode = "strict"
"""


def test_what_is_wrong_is_replaced_and_all_else_stays(tmp_path: Path) -> None:
    text, refusal = rewritten(tmp_path / "eval_x.toml", INLINE, PARIS, LONDON)

    assert not refusal
    assert text == INLINE.replace("Paris", "London")


def test_a_call_more_and_none_at_all(tmp_path: Path) -> None:
    actual = [*LONDON, {"name": "new", "arguments": {}}]

    more, _ = rewritten(tmp_path / "eval_x.toml", INLINE, PARIS, actual)
    none, _ = rewritten(tmp_path / "eval_x.toml", INLINE, PARIS, [])

    assert '  { name = "new", arguments = {} },\n]\ntags = ["smoke"]\n' in more
    assert 'expected = []\ntags = ["smoke"]\n' in none


def test_calls_that_are_tables_stay_so(tmp_path: Path) -> None:
    actual = [*LONDON, {"name": "new", "arguments": {}}]

    text, refusal = rewritten(tmp_path / "eval_x.toml", TABLES, PARIS, actual)

    assert not refusal
    assert text == TABLES.replace("Paris", "London").replace(
        "\n# the last",
        '\n[[cases.expected]]\nname = "new"\narguments = {}\n\n# the last',
    )


def test_tables_that_are_gone_leave_an_empty_list(tmp_path: Path) -> None:
    text, refusal = rewritten(tmp_path / "eval_x.toml", TABLES, PARIS, [])

    assert not refusal
    assert text.startswith(
        'name = "x"\n\n[[cases]]\nid = "a"\ninput = "hi"\nexpected = []\n\n# the last\n[[cases]]\n'
    )


def test_cases_in_one_line_keep_to_it(tmp_path: Path) -> None:
    cases = 'cases = [{ id = "a", input = "hi", expected = [] }]\n'

    text, refusal = rewritten(tmp_path / "eval_x.toml", cases, [], LONDON * 3)

    assert not refusal
    assert text.count("\n") == 1


@pytest.mark.parametrize(
    "value", ["no", "a\nb", 'q"', "\\", "ü", "\u2028\x7f", "", 1.5, 1e300, 7, True, [], {}, [1, "x"], {"$ref": "x"}, {"a b": {"c.d": 1}}]
)  # fmt: skip
def test_any_value_is_read_back_as_it_was_called(value: object, tmp_path: Path) -> None:
    text, refusal = rewritten(
        tmp_path / "eval_x.toml",
        '[[cases]]\nid = "a"\ninput = "hi"\nexpected = ["f"]\n'.replace(
            '"f"', '{ name = "f", arguments = { value = 0 } }'
        ),
        [expect.call("f", value=0)],
        [{"name": "f", "arguments": {"value": value}}],
    )

    assert not refusal
    assert expect.from_json(tomllib.loads(text)["cases"][0]["expected"]) == [
        expect.call("f", {"value": value})
    ]


CALL = '{ name = "f" }'


@pytest.mark.parametrize(
    ("case", "why"),
    [
        (
            '[[cases]]\nid = "a"\ninput = "hi"\nexpected.name = "f"\n',
            "the expected calls are written with dotted keys",
        ),
        (
            f'[[cases]]\nid = "a"\ninput = "hi"\nexpected = [{CALL}]\n' * 2,
            "several cases have the id a: x.toml:4, x.toml:8. Give each case its own id.",
        ),
        (f'[[cases]]\ninput = "hi"\nexpected = [{CALL}]\n' * 2, "several cases are alike"),
        (
            f'[[cases]]\nid = "z"\ninput = "hi"\nexpected = [{CALL}]\n',
            "the expected calls were not found",
        ),
        ("[[cases]\n", "the file cannot be parsed"),
    ],
)
def test_what_is_not_sure_is_refused(case: str, why: str, tmp_path: Path) -> None:
    text, refusal = rewritten(
        tmp_path / "x.toml", case, [expect.call("f")], [{"name": "g", "arguments": {}}]
    )

    assert why in refusal
    assert text == case


def test_what_toml_cannot_say_is_refused(tmp_path: Path) -> None:
    actual = [{"name": "g", "arguments": {"when": None}}]

    text, refusal = rewritten(tmp_path / "x.toml", INLINE, PARIS, actual)

    assert "an argument is null" in refusal
    assert text == INLINE


def test_tables_that_do_not_stand_together_are_refused(tmp_path: Path) -> None:
    apart = TABLES.replace(
        '[[cases.expected]]\nname = "calc"',
        '[cases.metadata]\nwho = "me"\n\n[[cases.expected]]\nname = "calc"',
    )

    text, refusal = rewritten(tmp_path / "x.toml", apart, PARIS, LONDON[1:])

    assert "the tables of the expected calls are not next to each other" in refusal
    assert text == apart


def test_a_table_that_takes_the_place_of_another_has_its_comments(tmp_path: Path) -> None:
    commented = TABLES.replace('"getWeather"', '"getWeather" # here')
    commented = commented.replace("# first\n[[cases.expected]]", "# first\n[[cases.expected]] # 1")

    actual = [{"name": "new", "arguments": {"x": 1}}, LONDON[1]]
    text, refusal = rewritten(tmp_path / "x.toml", commented, PARIS, actual)

    assert not refusal
    assert '# first\n[[cases.expected]] # 1\nname = "new"\narguments = { x = 1 }\n' in text


def test_an_empty_list_stands_behind_what_is_in_the_table_itself(tmp_path: Path) -> None:
    case = """\
[[cases]]  # one
id = "a"
input = \"\"\"hi\"\"\" # asked

[cases.metadata]
who = "me"

[[cases.expected]]
name = "f"
"""

    text, refusal = rewritten(tmp_path / "x.toml", case, [expect.call("f")], [])

    assert not refusal
    assert text == case.replace("asked\n", "asked\nexpected = []\n").partition("[[cases.exp")[0]


def test_tables_that_are_indented_stay_so(tmp_path: Path) -> None:
    indented = TABLES.replace("[[cases.expected]]\n", "  [[cases.expected]]\n  ")

    actual = [{"name": "new", "arguments": {"x": 1}}, LONDON[1]]
    text, refusal = rewritten(tmp_path / "x.toml", indented, PARIS, actual)

    assert not refusal
    assert '# first\n  [[cases.expected]]\n  name = "new"\n  arguments = { x' in text


VALUES = '''\
title = "a # no comment" # a comment
"odd key".b = 'lit'
long = """
x = 1 # no \\"key\\"
"""
raw = \'\'\'
[no.header]\'\'\'
list = [ 1, # one
  [2.5, "]"], { a = 1, b.c = 2 }, ]
when = 2024-01-15T10:00:00Z

[table]
x = true
[[many]]
y = 1
# of the second
[[many]]
[many.inner]
z = 2
'''


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (("title",), '"a # no comment"'),
        (("odd key", "b"), "'lit'"),
        (("long",), '"""\nx = 1 # no \\"key\\"\n"""'),
        (("raw",), "'''\n[no.header]'''"),
        (("list", 0), "1"),
        (("list", 1), '[2.5, "]"]'),
        (("list", 1, 1), '"]"'),
        (("list", 2, "a"), "1"),
        (("when",), "2024-01-15T10:00:00Z"),
        (("table", "x"), "true"),
        (("many", 0, "y"), "1"),
        (("many", 1, "inner", "z"), "2"),
    ],
)
def test_a_value_is_found(path: tuple[str | int, ...], text: str) -> None:
    node = scan_toml(VALUES).values[path]

    assert VALUES[node.start : node.end] == text


def test_a_table_reaches_to_the_next_that_is_not_in_it() -> None:
    block = scan_toml(VALUES).tables["many", 1]

    assert VALUES[block.start : block.end] == "# of the second\n[[many]]\n[many.inner]\nz = 2\n"
    assert VALUES[block.body :].startswith("[many.inner]")


@pytest.mark.parametrize("text", ["= 1", "a = ", "[ ]", "a = ]", 'a = "x'])
def test_what_is_no_toml_is_not_understood(text: str) -> None:
    with pytest.raises((CannotRewrite, IndexError)):
        scan_toml(text)


# No byte of a TOML file changes but those of the expectation, however the file is laid out.

_EMPTY = re.compile(rb"^expected = \[\]\r?\n", re.MULTILINE)


def _at(document: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        document = document[step]
    return document


def _read(written: str, key: str | int) -> Any:
    """A value; in braces it may have a dotted key, which is part of what stands for it."""
    try:
        return tomllib.loads(f"x = {written}")["x"]
    except tomllib.TOMLDecodeError:
        return tomllib.loads(f"x = {{{written}}}")["x"][key]


def _leaves(value: Any, path: tuple[str | int, ...] = ()) -> set[tuple[str | int, ...]]:
    """The paths of all values that hold no others."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()  # fmt: skip
    found = [leaf for key, item in inner for leaf in _leaves(item, (*path, key))]
    return set(found) or {path}


@given(suite=suites(), layout=layouts)
def test_every_value_is_found_where_it_stands(suite: Suite, layout: Layout) -> None:
    text = layout.raw(suite.text).decode().removeprefix("\ufeff")
    document = tomllib.loads(text)

    found = scan_toml(text)

    values = {path: text[node.start : node.end] for path, node in found.values.items()}
    for path, written in values.items():
        assert equal(_read(written, path[-1]), _at(document, path))
    missing = _leaves(document) - values.keys() - found.tables.keys()
    assert all(any(path[:size] in values for size in range(len(path))) for path in missing)


def _calls_made(data: st.DataObject, expected: list[Any]) -> list[Any]:
    """Calls that are not those expected, mostly."""
    made = [
        {"name": call["name"], "arguments": dict(call.get("arguments", {}))} for call in expected
    ]
    for call in made:
        match data.draw(st.integers(0, 4)):
            case 0:
                call["name"] = "other"
            case 1:
                call["arguments"] = dict.fromkeys(call["arguments"], "new")
            case 2:
                call["arguments"]["added"] = [1, {"x y": "z"}]
            case 3:
                call["arguments"] = {}
    size = data.draw(st.integers(0, len(made)))
    more = [{"name": "more", "arguments": {"q": 'a "b" \n'}}] * data.draw(st.integers(0, 2))
    return [*data.draw(st.permutations(made))[:size], *more]


@given(suite=suites(), layout=layouts, data=st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_nothing_but_the_expectation_changes(
    suite: Suite, layout: Layout, data: st.DataObject, tmp_path: Path
) -> None:
    before = suite.document
    number = data.draw(st.integers(0, len(suite.spans) - 1))
    case = before["cases"][number]
    made = _calls_made(data, case["expected"])
    file = tmp_path / "eval_x.toml"
    old = layout.raw(suite.text)
    file.write_bytes(old)
    about = {"case": case["id"], "input": case["input"]}
    wish = change(file, expect.from_json(case["expected"]), made, **about)

    _, refused = rewrite([wish], tmp_path)

    new = file.read_bytes()
    if refused:
        assert "a single argument of this call cannot be updated" in refused[0].problem
        assert new == old
        return
    after = tomllib.loads(new.decode().removeprefix("\ufeff"))
    assert score(expect.from_json(after["cases"][number].pop("expected")), made).is_exact
    assert case.pop("expected") is not None
    assert equal(after, before)
    start, end = (len(layout.raw(suite.text[:at])) for at in suite.spans[number])
    if suite.are_tables[number] and not made:  # then a line in the table of the case says so
        top = len(layout.raw(suite.text[: suite.cases[number]]))
        assert new[:top] == old[:top]
        new = new[:top] + _EMPTY.sub(b"", new[top:], count=1)
    assert new.startswith(old[:start])
    assert new.endswith(old[end:])
