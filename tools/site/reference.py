"""The API reference: a page that names every public object, which mkdocstrings replaces by its docstring."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["API", "api_page", "public_names"]

API = "reference/api.md"
_PACKAGE = "callscore"
# Modules whose names are public, too. The others in `__all__` are listed by their own docstrings.
_MODULES = ("expect", "models", "testing")
_TITLES = {
    "en": {
        "page": "API",
        "about": "Signatures and docstrings of everything public. [Python](python.md) explains it with examples.",
        "functions": "Functions",
        "values": "Values",
        "errors": "Errors",
    },
    "ru": {
        "page": "API",
        "about": "Сигнатуры и описания всего, что входит в публичный интерфейс. "
        "Примеры — на странице [Python](python.md).",
        "functions": "Функции",
        "values": "Значения",
        "errors": "Ошибки",
    },
}


def public_names(module: Path) -> list[str]:
    """`__all__` of a module, which is not imported: what it needs may not be installed."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return [str(name) for name in ast.literal_eval(node.value)]
    raise LookupError(f"{module}: no __all__")


def _module(root: Path, name: str) -> Path:
    path = root / "src" / _PACKAGE / name
    return path.with_suffix(".py") if path.with_suffix(".py").is_file() else path / "__init__.py"


def api_page(root: Path, language: str) -> str:
    """The Markdown of the API reference."""
    titles = _TITLES[language]
    names = public_names(root / "src" / _PACKAGE / "__init__.py")
    errors = {*public_names(_module(root, "errors"))} & {*names}
    modules = [name for name in names if _module(root, name).is_file()]
    plain = [name for name in names if name not in errors and name not in modules]
    parts = [f"# {titles['page']}\n\n{titles['about']}\n"]
    for title, group in (
        ("functions", [name for name in plain if name[0].islower()]),
        ("values", [name for name in plain if name[0].isupper()]),
        ("errors", [name for name in names if name in errors]),
    ):
        parts.append(f"## {titles[title]}\n")
        parts += [_object(f"{_PACKAGE}.{name}") for name in group]
    for name in sorted({*modules, *_MODULES}):
        parts.append(_section(root, name))
    return "\n".join(parts)


def _object(path: str) -> str:
    return f"::: {path}\n    options:\n      heading_level: 3\n"


def _section(root: Path, name: str) -> str:
    """A public module: its docstring, and its public names."""
    path = f"{_PACKAGE}.{name}"
    about = f"::: {path}\n    options:\n      heading_level: 2\n      members: false\n"
    members = public_names(_module(root, name))
    return "\n".join([about, *[_object(f"{path}.{member}") for member in members]])
