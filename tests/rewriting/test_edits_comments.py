"""The comment behind the first line of a call stays; those of its arguments go with them."""

from __future__ import annotations

import pytest

from callscore.rewriting.edits import keep_comment

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
