"""Failures: written as files that repeat them, made smaller where that is cheap, one per cause."""

from __future__ import annotations

import json  # noqa: TID251  (msgspec takes no half of a surrogate pair)
import re
import time
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from tools.fuzz.execution import Outcome, execute
from tools.fuzz.inputs import Input

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tools.fuzz.execution import Scratch

__all__ = ["Failure", "as_json", "from_json", "minimize", "read_failure", "write_failure"]

_PATIENCE = 5.0  # seconds of processor time for making one failure smaller


class Failure(Struct, frozen=True):
    """An input that failed.

    Attributes:
        input: the input, made smaller.
        outcome: what happened.
        seed: the seed of the run that found it.
        number: its number in that run.
    """

    input: Input
    outcome: Outcome
    seed: int = 0
    number: int = 0


def write_failure(failure: Failure, folder: Path) -> Path:
    """Write a failure to a file, which `--replay` reads, and its files next to it."""
    name = re.sub(r"[^\w.-]+", "-", failure.outcome.place).strip("-")[:90]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    path.write_bytes(as_json(failure, indent=2))
    return path


def read_failure(path: Path) -> Failure:
    """A failure that was written."""
    failure: Failure = from_json(path.read_bytes(), Failure)
    return failure


def as_json(value: Any, indent: int | None = None) -> bytes:
    """A value as JSON, in which the words of an input may have half of a surrogate pair."""
    return json.dumps(msgspec.to_builtins(value), indent=indent).encode()


def from_json(data: bytes, kind: Any) -> Any:
    """A value that was written so."""
    return msgspec.convert(json.loads(data), kind)


def minimize(failed: Input, outcome: Outcome, scratch: Scratch) -> Input:
    """A smaller input that fails at the same place; only as far as it is cheap."""
    if outcome.word not in ("error", "wrong output") or outcome.seconds > 0.5:
        return failed
    end = time.process_time() + _PATIENCE

    def fails(given: Input) -> bool:
        return execute(given, scratch, is_limited=False).place == outcome.place

    smallest = failed
    for name in failed.files:
        for shrink in (_shrink_tree, _shrink_bytes):
            smallest = shrink(smallest, name, fails, end)
    return smallest


def _shrink_bytes(given: Input, name: str, fails: Callable[[Input], bool], end: float) -> Input:
    """Leave out parts of a file: halves first, then ever smaller ones."""
    size = len(given.files[name]) // 2
    while size:
        at = 0
        while at < len(given.files[name]) and time.process_time() < end:
            data = given.files[name]
            smaller = _with(given, name, data[:at] + data[at + size :])
            if fails(smaller):
                given = smaller
            else:
                at += size
        size = size // 2 if time.process_time() < end else 0
    return given


def _shrink_tree(given: Input, name: str, fails: Callable[[Input], bool], end: float) -> Input:
    """Leave out values of a JSON document, and put values in place of what contains them."""
    is_smaller = True
    while is_smaller:
        is_smaller = False
        for data in _smaller_trees(given.files[name]):
            if time.process_time() > end:
                return given
            smaller = _with(given, name, data)
            if fails(smaller):
                given, is_smaller = smaller, True
                break
    return given


def _smaller_trees(data: bytes) -> Iterator[bytes]:
    try:
        tree = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return
    stack: list[list[str | int]] = [[]]
    while stack:
        path = stack.pop(0)
        value = _at(tree, path)
        keys: list[str | int] = []
        if isinstance(value, dict):
            keys = list(value)
        elif isinstance(value, list):
            keys = list(range(len(value)))
        for key in keys[:50]:
            copy = msgspec.json.decode(data)
            del _at(copy, path)[key]
            yield msgspec.json.encode(copy)
        stack.extend([*path, key] for key in keys[:50] if len(path) < 12)


def _at(tree: Any, path: list[str | int]) -> Any:
    for key in path:
        tree = tree[key]
    return tree


def _with(given: Input, name: str, data: bytes) -> Input:
    return replace(given, files={**given.files, name: data})
