"""Where the values and the tables of a TOML text stand."""

from __future__ import annotations

import pytest

from callscore.rewriting.change import CannotRewrite
from callscore.rewriting.toml_spans import scan_toml

TEXT = '''\
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
    node = scan_toml(TEXT).values[path]

    assert TEXT[node.start : node.end] == text


def test_a_table_reaches_to_the_next_that_is_not_in_it() -> None:
    block = scan_toml(TEXT).tables["many", 1]

    assert TEXT[block.start : block.end] == "# of the second\n[[many]]\n[many.inner]\nz = 2\n"
    assert TEXT[block.body :].startswith("[many.inner]")


@pytest.mark.parametrize("text", ["= 1", "a = ", "[ ]", "a = ]", 'a = "x'])
def test_what_is_not_understood_is_refused(text: str) -> None:
    with pytest.raises((CannotRewrite, IndexError)):
        scan_toml(text)
