"""What names mean at a place in a Python file."""

from __future__ import annotations

import ast

import pytest

from callscore.rewriting.python_cases import names_at, qualified_name

PROGRAM = """\
import os.path
import callscore as cs
from callscore import expect, testing as t
from typing import TYPE_CHECKING
from .near import other
LIMIT = 3
BOTH = ALSO = 4
TYPED: int = 5
if TYPE_CHECKING:
    from callscore.testing import call
try:
    from callscore import maybe
except ImportError as error:
    maybe = None
TWICE = 1
TWICE = 2
SHARED = 1
[COUNTED for COUNTED in range(3)]
COUNTED = 1

def inner(given, *rest, expect=None):
    global SHARED
    from callscore.testing import call
    local = lambda os: (
        os
    )

class Inside:
    def method(self): ...

LATER = 1
"""


def _known(line: int) -> tuple[dict[str, str], set[str]]:
    names = names_at(ast.parse(PROGRAM), line)
    return names.paths, set(names.constants)


def test_what_is_imported_and_assigned_for_sure_is_known() -> None:
    paths, constants = _known(27)

    assert paths == {
        "os": "os",
        "cs": "callscore",
        "expect": "callscore.expect",
        "t": "callscore.testing",
        "TYPE_CHECKING": "typing.TYPE_CHECKING",
        "other": ".near.other",
    }
    assert constants == {"LIMIT", "BOTH", "TYPED"}


def test_what_comes_later_is_not_known_yet() -> None:
    assert _known(3)[0].keys() == {"os", "cs"}
    assert "LATER" not in _known(27)[1]


def test_a_function_has_names_of_its_own() -> None:
    paths, constants = _known(25)

    assert paths["call"] == "callscore.testing.call"
    assert not {"expect", "os"} & paths.keys()
    assert "given" not in constants


@pytest.mark.parametrize(
    ("expression", "path"),
    [
        ("expect.call", "callscore.expect.call"),
        ("t.call", "callscore.expect.call"),
        ("cs.expect.gt", "callscore.expect.gt"),
        ("nobody.call", ""),
        ("made().call", ""),
    ],
)
def test_an_expression_names_what_its_parts_do(expression: str, path: str) -> None:
    node = ast.parse(expression, mode="eval").body

    assert qualified_name(node, names_at(ast.parse(PROGRAM), 27)) == path
