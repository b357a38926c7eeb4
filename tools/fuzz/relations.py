"""What must not change a score: the container, the order of keys, spaces, a secret, other cases."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from tools.fuzz.containers import to_yaml
from tools.fuzz.outputs import Wrong

import callscore
from callscore.errors import CallscoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["RELATIONS", "SECRET", "compare_secret", "same_scores"]

SECRET = 'Zq7"\\/é+k3y-in-the-environment'  # noqa: S105  (not a real one)
_VARIABLE = "FUZZ_API_KEY"
_Numbers = list[tuple[float, ...]] | str


def same_scores(relation: str, data: bytes) -> str:
    """Score cases, and the same cases written in another way; what became of them.

    Raises:
        Wrong: the scores differ.
    """
    first = _scored("cases.json", data)
    if isinstance(first, str):
        return f"refused: {first}"
    try:
        records = msgspec.json.decode(data)
        written = list(RELATIONS[relation](records))
    except (msgspec.DecodeError, RecursionError):  # of what the decoder of this program cannot read
        return "not JSON"
    for what, found in written:
        if found != first and not (isinstance(found, str) and "YAML" in what):  # YAML allows less
            raise Wrong(f"other scores: {what}", f"{first!r}, then {found!r}")
    return "same"


def _scored(name: str, data: bytes) -> _Numbers:
    """The numbers of each case of a file, or the name of the error that refuses it."""
    Path(name).write_bytes(data)
    try:
        results = callscore.score_files(name, show="all", max_shown=None)
    except CallscoreError as error:
        return type(error).__name__
    cases = [
        (case.required_score.f1, case.required_score.precision, case.required_score.recall)
        for case in results.cases
    ]
    return sorted([*cases, (results.not_scored.count, results.not_run.count)])


def _containers(records: list[Any]) -> Iterator[tuple[str, _Numbers]]:
    lines = b"".join(msgspec.json.encode(record) + b"\n" for record in records)
    yield "JSON Lines", _scored("cases.jsonl", lines)
    yield "YAML", _scored("cases.yaml", to_yaml(records).encode("utf-8", "surrogatepass"))
    parts = "".join(f"---\n{to_yaml(record)}\n" for record in records)
    yield "documents of YAML", _scored("parts.yaml", parts.encode("utf-8", "surrogatepass"))


def _spelling(records: list[Any]) -> Iterator[tuple[str, _Numbers]]:
    yield "keys in another order", _scored("turned.json", msgspec.json.encode(_turned(records)))
    spaced = msgspec.json.format(msgspec.json.encode(records), indent=3)
    yield "spaces", _scored("spaced.json", b"\n\n " + spaced + b"\r\n")


def _turned(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _turned(item) for key, item in reversed(value.items())}
    return [_turned(item) for item in value] if isinstance(value, list) else value


def _singly(records: list[Any]) -> Iterator[tuple[str, _Numbers]]:
    alone = [_scored("one.jsonl", msgspec.json.encode(record)) for record in records]
    cases: list[tuple[float, ...]] = []
    counts = [0.0, 0.0]
    for numbers in alone:
        if isinstance(numbers, str):
            yield "cases one by one", numbers
            return
        for each in numbers:
            if len(each) == len(counts):
                counts = [total + more for total, more in zip(counts, each, strict=True)]
            else:
                cases.append(each)
    yield "cases one by one", sorted([*cases, tuple(counts)])


RELATIONS: dict[str, Callable[[list[Any]], Iterator[tuple[str, _Numbers]]]] = {
    "containers": _containers,
    "spelling": _spelling,
    "singly": _singly,
}


def compare_secret(report: Callable[[], tuple[str, bytes]]) -> str:
    """Make a report of scores without and with a secret in the environment.

    Raises:
        Wrong: the scores differ, or the report shows the secret.
    """
    plain, before = report()
    with _secret_variable():
        word, after = report()
    if word != plain:
        raise Wrong("another outcome with a secret", f"{plain}, then {word}")
    if not before.strip() or not after.strip():
        return word
    first, second = msgspec.json.decode(before), msgspec.json.decode(after)
    if SECRET in _texts(second) or SECRET.encode() in after:
        raise Wrong("a secret in a report", repr(after[:300]))
    for part in ("totals", "calls"):
        if first[part] != second[part]:
            raise Wrong(f"other {part} with a secret", f"{first[part]}, then {second[part]}")
    return word


@contextmanager
def _secret_variable() -> Iterator[None]:
    os.environ[_VARIABLE] = SECRET
    try:
        yield
    finally:
        del os.environ[_VARIABLE]


def _texts(value: Any) -> str:
    """All texts in a value, joined."""
    if isinstance(value, dict):
        return "\n".join(f"{key}\n{_texts(item)}" for key, item in value.items())
    if isinstance(value, list):
        return "\n".join(map(_texts, value))
    return value if isinstance(value, str) else ""
