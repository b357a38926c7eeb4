"""Digests of questions and of the code of tasks, by which an answer is found again.

Parts of the code that cannot change an answer are left out: comments, formatting, and what is expected.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache, partial
from hashlib import blake2b, sha256
from inspect import unwrap
from os import PathLike, urandom
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from callscore.core.equality import fingerprint
from callscore.hiding.hider import Hider
from callscore.words.value_text import json_safe

if TYPE_CHECKING:
    from callscore.evaluations.evaluation import Question

_OURS = "callscore"
# The keywords that the task can see, by what is called.
_KEPT_KEYWORDS: dict[str | None, frozenset[str]] = {
    "evaluation": frozenset({"tools", "variants"}),
    "Case": frozenset({"input", "id", "metadata", "tools"}),
}


def code_digest(of: Any) -> str:
    """The digest of a file, or of the file of a callable; empty if it cannot be read."""
    file = of if isinstance(of, str | PathLike) else code_file(of)
    if file is None:
        return ""
    path = Path(file)
    try:
        known = path.stat()
        return _file_digest(path, known.st_mtime_ns, known.st_size)
    except OSError:
        return ""


def combined_digest(*digests: str) -> str:
    """Combine digests; equal ones count once, empty ones are ignored."""
    different = sorted({each for each in digests if each})
    if len(different) < 2:  # noqa: PLR2004  (one needs no joining)
        return "".join(different)
    return sha256(" ".join(different).encode()).hexdigest()


def code_file(function: Any) -> str | None:
    """The file of a function, or of the class of a callable object."""
    inner = unwrap(function.func if isinstance(function, partial) else function)
    for each in (inner, getattr(type(inner), "__call__", None)):  # noqa: B004  (its code is wanted)
        code = getattr(getattr(each, "__func__", each), "__code__", None)
        if code is not None:
            return str(code.co_filename)
    return None


@lru_cache(maxsize=256)
def _file_digest(path: Path, _changed: int, _size: int) -> str:
    """The digest of a file; its time and size are part of the key of the cache."""
    text = path.read_bytes()
    # If it cannot be parsed, the whole text counts; deep nesting may raise SystemError.
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError, SystemError):
        tree = ast.parse(text)
        text = ast.dump(_AnswerRelevantCode(tree).visit(tree)).encode("utf-8", "backslashreplace")
    return sha256(text).hexdigest()


class _AnswerRelevantCode(ast.NodeTransformer):
    """Removes the parts of evaluations and cases that cannot change answers."""

    def __init__(self, tree: ast.Module) -> None:
        self._names: dict[str, str] = {}  # names in callscore, by local name
        self._modules: set[str] = set()
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and node.module == _OURS and not node.level:
                self._names |= {each.asname or each.name: each.name for each in node.names}
            elif isinstance(node, ast.Import):
                ours = [each for each in node.names if each.name == _OURS]
                self._modules |= {each.asname or each.name for each in ours}

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Drop keywords that only affect scores."""
        kept = _KEPT_KEYWORDS.get(self._name_of(node.func))
        if kept is not None:  # `**more` may be any of them
            node.keywords = [each for each in node.keywords if each.arg is None or each.arg in kept]
        return self.generic_visit(node)

    def _name_of(self, function: ast.expr) -> str | None:
        """The name of a function of callscore; None for any other function."""
        if isinstance(function, ast.Name):
            return self._names.get(function.id)
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
            return function.attr if function.value.id in self._modules else None
        return None


_SIZE = 16  # bytes
# Memory addresses differ in every process.
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


class QuestionDigests:
    """Digests of the questions of one run; the identity of each task is computed once."""

    def __init__(self) -> None:
        self._identities: dict[int, Any] = {}

    def of(self, question: Question) -> tuple[str, str]:
        """The digests of a question, and of the text of its task."""
        return question_digest(question, self._identity), task_digest(question)

    def _identity(self, task: Any) -> Any:
        known = self._identities.get(id(task))
        if known is None:  # the task is held by its evaluation for as long as the run lasts
            known = self._identities[id(task)] = _task_identity(task)
        return known


def _task_identity(task: Any) -> Any:
    return task.identity()


def question_digest(question: Question, identity: Callable[[Any], Any] = _task_identity) -> str:
    """The digest of everything that decides the answer, except the code of the task.

    A task with `asks` is identified by its request alone: the same request has the same answer in any
    evaluation. It is unknown what another task does with its case, so that its file and name, its
    tools, and the case without the expectation count.
    """
    evaluation, case = question.evaluation, question.case
    keywords = variant_keywords(question)
    asks = getattr(evaluation.task, "asks", None)
    if callable(asks):
        return _value_digest(["asks", asks(case, **keywords)])
    fields = ("id", "input", "tools", "tags", "metadata")
    about = [question.variant, keywords, {field: getattr(case, field) for field in fields}]
    if hasattr(evaluation.task, "identity"):
        return _value_digest(["identity", identity(evaluation.task), *about])
    tools = None if evaluation.tools is None else list(evaluation.tools.values())
    return _value_digest(["task", evaluation.key or evaluation.name, tools, *about])


def task_digest(question: Question) -> str:
    """The digest of the code of the task; empty for a task with `asks` or an identity."""
    task = question.evaluation.task
    if hasattr(task, "asks") or hasattr(task, "identity"):
        return ""
    functions = [each for each in variant_keywords(question).values() if callable(each)]
    return combined_digest(question.evaluation.source, *map(code_digest, functions))


def variant_keywords(question: Question) -> dict[str, Any]:
    """The keyword arguments of the task, from the variant."""
    if question.variant is None:
        return {}
    return question.evaluation.variants.get(question.variant, {})


def _value_digest(value: Any) -> str:
    try:
        text = msgspec.json.encode(value, order="deterministic", enc_hook=_stable_repr)
    except (TypeError, ValueError, RecursionError):  # keys that are not text, lone surrogates
        text = _ADDRESS.sub("", fingerprint(json_safe(value))).encode("utf-8", "backslashreplace")
    if Hider().has_secret(text.decode()):
        # It is equal to nothing, and its digest could be compared with the digests of guesses.
        text = urandom(_SIZE)
    return blake2b(text, digest_size=_SIZE).hexdigest()


def _stable_repr(value: object) -> str:
    """The repr of a value that JSON cannot represent, without memory addresses."""
    return f"{type(value).__qualname__} {_ADDRESS.sub('', repr(value))}"
