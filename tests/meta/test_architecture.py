"""The size and the shape of the code: what a newcomer may rely on in every module."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src/callscore"
MODULES = sorted(PACKAGE.rglob("*.py"))
# Three are exceptions: they import their names when they are used.
LAZY = {PACKAGE, PACKAGE / "engines", PACKAGE / "parity"}
PACKAGES = [
    module for module in MODULES if module.name == "__init__.py" and module.parent not in LAZY
]

LONGEST_MODULE = 800
NAMES_THAT_SAY_NOTHING = {"base", "common", "helper", "helpers", "manager", "util", "utils"}
# Words of our own for what every engineer calls warnings, options, locations, errors or retries.
PRIVATE_WORDS = {
    *("complaint", "contest", "doubt", "patient", "spot", "standing", "trouble", "wish"),
    *("complaints", "contests", "doubts", "spots", "standings", "troubles", "wishes"),
    *("tell", "telling", "tells", "told", "untold"),
}


def _name(module: Path) -> str:
    return module.relative_to(PACKAGE).as_posix()


@cache
def _tree(module: Path) -> ast.Module:
    return ast.parse(module.read_text(encoding="utf-8"))


def _assigned_names(statement: ast.stmt) -> list[str]:
    if not isinstance(statement, ast.Assign):
        return []
    return [target.id for target in statement.targets if isinstance(target, ast.Name)]


def test_no_module_has_more_than_800_lines() -> None:
    lines = {_name(module): module.read_text(encoding="utf-8").count("\n") for module in MODULES}

    assert not [name for name, length in lines.items() if length > LONGEST_MODULE]


def test_a_module_begins_with_the_one_sentence_a_newcomer_needs() -> None:
    assert not [_name(module) for module in MODULES if not ast.get_docstring(_tree(module))]


# Modules that users import, or that plugins are like; what a folder offers is in its __init__.
PUBLIC_MODULES = re.compile(
    r"__init__\.py$|^(errors|expect)\.py$|^(adapters|parity|recorders|testing)/"
)


def test_only_modules_that_meet_users_list_their_names() -> None:
    listing = {
        _name(module)
        for module in MODULES
        if any("__all__" in _assigned_names(statement) for statement in _tree(module).body)
    }

    assert not {name for name in listing if not PUBLIC_MODULES.search(name)}
    assert {"__init__.py", "errors.py", "expect.py"} <= listing


def test_a_module_is_named_for_what_it_is_about() -> None:
    empty = [
        name
        for name in map(_name, MODULES)
        if NAMES_THAT_SAY_NOTHING & {*name.removesuffix(".py").replace("/", "_").split("_")}
    ]

    assert not empty


def test_names_are_words_that_an_engineer_would_search_for() -> None:
    private = [
        f"{_name(module)}: {name}"
        for module in MODULES
        for name in sorted(_names_in(_tree(module)))
        if PRIVATE_WORDS & {word.lower() for word in re.split(r"_|(?<=[a-z])(?=[A-Z])", name)}
    ]

    assert not private


def _names_in(tree: ast.Module) -> set[str]:
    """Every name that a module gives: of functions, classes, parameters, variables, attributes."""
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                found.add(node.name)
            case ast.arg():
                found.add(node.arg)
            case ast.Name(ctx=ast.Store()):
                found.add(node.id)
            case ast.Attribute(ctx=ast.Store()):
                found.add(node.attr)
    return found


def test_an_init_holds_its_docstring_imports_and_names_and_nothing_else() -> None:
    others = [
        f"{_name(package)}: {ast.unparse(statement)}"
        for package in PACKAGES
        for statement in _tree(package).body
        if not isinstance(statement, ast.Import | ast.ImportFrom)
        and not _is_docstring(statement)
        and not set(_assigned_names(statement)) & {"__all__", "__version__"}
    ]

    assert not others


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
