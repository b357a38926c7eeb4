"""Comments behind lines stay with what they are about."""

from __future__ import annotations

import pytest

from callscore.rewriting.comments import with_comments

NEW = ["- name: g", "  arguments:", "    x: 2"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (["- name: f  # tool", "  arguments: {x: 1} # args"], ["  # tool", " # args", ""]),
        (["- {name: f}  # all"], ["  # all", "", ""]),
        (["# above", "- name: f", "  arguments:", "    x: 1  # one"], ["", "", "  # one"]),
        (["- name: 'a # b'  # c"], ["  # c", "", ""]),
        (["- name: a#b"], ["", "", ""]),
        (["- name: f", "  gone: 1  # with it"], ["", "", ""]),
        (["- name: |  # no", "    # text", "  x: |", "    y  # text"], ["", "", ""]),
        ([], ["", "", ""]),
    ],
)
def test_a_comment_stays_behind_the_line_about_the_same(old: list[str], new: list[str]) -> None:
    assert with_comments(NEW, old) == [line + end for line, end in zip(NEW, new, strict=True)]


def test_tables_have_comments_too() -> None:
    old = ["[[cases.expected]] # first", 'name = "f" # why', "arguments.x = 1 # one"]
    new = ["[[cases.expected]]", 'name = "g"', "arguments = { x = 2 }"]

    ends = [" # first", " # why", " # one"]
    assert with_comments(new, old) == [line + end for line, end in zip(new, ends, strict=True)]
