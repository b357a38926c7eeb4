"""Digests of people's code, by which it is known whether answers are still those of the same task.

What cannot change an answer is left out: comments, how the text is set, and what is expected.
"""

from __future__ import annotations

import ast
from contextlib import suppress
from functools import lru_cache, partial
from hashlib import sha256
from inspect import unwrap
from os import PathLike
from pathlib import Path
from typing import Any

__all__ = ["code_file", "joined", "source_digest"]

_OURS = "callscore"
# Of all that is said of an evaluation, what its task may see.
_SEEN = frozenset({"tools", "variants"})
# The same of a case.
_ASKED = frozenset({"input", "id", "metadata", "tools"})


def source_digest(of: Any) -> str:
    """The digest of a file of code; empty where there is none to read.

    Args:
        of: a function, or something else that is called, whose file is meant; or the path of one.
    """
    file = of if isinstance(of, str | PathLike) else code_file(of)
    if file is None:
        return ""
    path = Path(file)
    try:
        known = path.stat()
        return _digest(path, known.st_mtime_ns, known.st_size)
    except OSError:
        return ""


def joined(*digests: str) -> str:
    """One digest of several: the same for one as for that one twice; empty ones say nothing."""
    different = sorted({each for each in digests if each})
    if len(different) < 2:  # noqa: PLR2004  (one needs no joining)
        return "".join(different)
    return sha256(" ".join(different).encode()).hexdigest()


def code_file(function: Any) -> str | None:
    """The file that a function stands in; of an object that is called, that of its class."""
    inner = unwrap(function.func if isinstance(function, partial) else function)
    for each in (inner, getattr(type(inner), "__call__", None)):  # noqa: B004  (its code is wanted)
        code = getattr(getattr(each, "__func__", each), "__code__", None)
        if code is not None:
            return str(code.co_filename)
    return None


@lru_cache(maxsize=256)
def _digest(path: Path, _changed: int, _size: int) -> str:
    """The digest of a file as it was changed last."""
    text = path.read_bytes()
    # Where it cannot be parsed, every letter counts; what is nested deeply may be a SystemError.
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError, SystemError):
        tree = ast.parse(text)
        text = ast.dump(_Deciding(tree).visit(tree)).encode("utf-8", "backslashreplace")
    return sha256(text).hexdigest()


class _Deciding(ast.NodeTransformer):
    """Leaves of evaluations and cases what decides about answers.

    Args:
        tree: the module, whose imports say what goes by these names in it.
    """

    def __init__(self, tree: ast.Module) -> None:
        self._names: dict[str, str] = {}  # what is called so here, by its name in callscore
        self._modules: set[str] = set()
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and node.module == _OURS and not node.level:
                self._names |= {each.asname or each.name: each.name for each in node.names}
            elif isinstance(node, ast.Import):
                ours = [each for each in node.names if each.name == _OURS]
                self._modules |= {each.asname or each.name for each in ours}

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Drop what is said of scores alone."""
        called = self._name_of(node.func)
        if called == "evaluation":
            node.keywords = _only(node.keywords, _SEEN)
        elif called == "Case":
            node.keywords = _only(node.keywords, _ASKED)
        return self.generic_visit(node)

    def _name_of(self, function: ast.expr) -> str | None:
        """What a function is called in callscore; None where it is somebody else's."""
        if isinstance(function, ast.Name):
            return self._names.get(function.id)
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
            return function.attr if function.value.id in self._modules else None
        return None


def _only(keywords: list[ast.keyword], wanted: frozenset[str]) -> list[ast.keyword]:
    """The keywords of these names; `**more` may be any of them."""
    return [each for each in keywords if each.arg is None or each.arg in wanted]
