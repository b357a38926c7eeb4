"""A sample whose records are spoiled gives its calls, a note or an error, and never a silent zero.

What is spoiled can still be seen by a person: keys and kinds have other names, values have other
types, or the whole is inside of something else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from callscore.documents import read_documents
from callscore.errors import CallscoreError
from callscore.formats.reading import read_document
from callscore.formats.trace import ReadOptions

pytestmark = pytest.mark.slow

SAMPLES = Path(__file__).parents[1] / "samples"
FORMATS = sorted(path.name for path in (SAMPLES / "formats").iterdir())
RECORDED = sorted(path.name for path in (SAMPLES / "recorded").iterdir() if path.is_dir())
MAX_SIZE = 60_000  # bytes; larger samples have no other shapes
KINDS = frozenset(
    (
        *("type", "kind", "part_kind", "event", "event_type", "object", "run_type", "method"),
        *("role", "from", "finish_reason", "stop_reason"),
    )
)
NAMES = frozenset(("name", "tool", "tool_name", "toolName"))

Way = Callable[[Any], Any]


def changed(value: Any, key: Callable[[str], str], held: Callable[[str, Any], Any]) -> Any:
    """The value with other keys, and with other values under its keys."""
    if isinstance(value, dict):
        return {key(name): changed(held(name, item), key, held) for name, item in value.items()}
    if isinstance(value, list):
        return [changed(item, key, held) for item in value]
    return value


def same(name: str) -> str:
    return name


def unchanged(_: str, value: Any) -> Any:
    return value


def with_kinds(suffix: str) -> Way:
    def other(name: str, value: Any) -> Any:
        return f"{value}{suffix}" if name in KINDS and isinstance(value, str) else value

    return lambda document: changed(document, same, other)


def without_names(document: Any) -> Any:
    return changed(document, same, lambda name, value: None if name in NAMES else value)


def with_arguments_in_lists(document: Any) -> Any:
    return changed(
        document, same, lambda name, value: [value] if name in ("arguments", "args") else value
    )


def with_objects_for_lists(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: with_objects_for_lists(item) for name, item in value.items()}
    if isinstance(value, list):
        return {str(number): with_objects_for_lists(item) for number, item in enumerate(value)}
    return value


WAYS: dict[str, Way] = {
    "kinds of another version": with_kinds("_v2"),
    "names are null": without_names,
    "arguments in lists": with_arguments_in_lists,
    "objects for lists": with_objects_for_lists,
    "other keys": lambda document: changed(document, lambda name: f"x_{name}", unchanged),
    "keys in capitals": lambda document: changed(document, str.upper, unchanged),
    "in a payload": lambda document: {"payload": document},
    "in events": lambda document: {"events": [{"body": document}]},
    "as text": lambda document: {"payload": msgspec.json.encode(document).decode()},
}


def words_in(value: Any) -> Iterator[tuple[str, str | None]]:
    """Each key, alone and with the kind under it."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield name, None
            if name in KINDS and isinstance(item, str):
                yield name, item
    for item in value.values() if isinstance(value, dict) else value:
        if isinstance(item, dict | list):
            yield from words_in(item)


def spoiled(document: Any) -> Iterator[tuple[str, Any]]:
    """The document in each way in which it can be spoiled, with a name for it."""
    for way, spoil in WAYS.items():
        yield way, spoil(document)
    for name, kind in dict.fromkeys(words_in(document)):
        if kind is None:
            other = changed(document, lambda key: f"x_{key}" if key == name else key, unchanged)  # noqa: B023
        else:
            other = changed(
                document,
                same,
                lambda key, value: f"x_{kind}" if (key, value) == (name, kind) else value,  # noqa: B023
            )
        yield f"{name}: {kind}", other


def outcome(document: Any) -> str:
    notes: list[str] = []
    try:
        traces = read_document(document, ReadOptions(on_unread=notes.append))
    except CallscoreError:
        return "error"
    if any(trace.calls or trace.expected for trace in traces):
        return "calls"
    return "note" if notes else "nothing"


@cache
def samples(folder: str) -> list[tuple[str, Any]]:
    """The names and values of the samples with calls in a folder."""
    found = []
    for path in sorted((SAMPLES / folder).glob("*.json*")):
        if path.name.endswith((".expected.json", ".schemas.json")) or not is_called(path):
            continue
        documents = [document.value for document in read_documents(path)]
        if path.parent.parent.name == "formats":
            documents = [msgspec.json.decode(path.read_bytes())]
        found += [
            (path.name, value)
            for value in documents
            if isinstance(value, dict | list) and outcome(value) == "calls"
        ]
    return found


def is_called(path: Path) -> bool:
    """Whether a sample is small, and has calls."""
    named = (path.with_suffix(".expected.json"), path.with_name(f"{path.name}.expected.json"))
    answers = [msgspec.json.decode(name.read_bytes()) for name in named if name.exists()]
    reads = [read for answer in answers for read in answer.get("read", [answer])]
    traces = [trace for read in reads for trace in read["traces"]]
    return path.stat().st_size < MAX_SIZE and any(
        trace.get("calls") or trace.get("expected") for trace in traces
    )


@pytest.mark.parametrize(
    "folder", [*(f"formats/{name}" for name in FORMATS), *(f"recorded/{name}" for name in RECORDED)]
)
def test_a_spoiled_sample_is_not_silent(folder: str) -> None:
    silent = [
        (name, way)
        for name, document in samples(folder)
        for way, other in spoiled(document)
        if outcome(other) == "nothing"
    ]

    assert silent == []


def test_samples_are_spoiled_in_every_way() -> None:
    found = [
        outcome(other)
        for folder in ("formats/openai_chat", "formats/anthropic", "recorded/gemini")
        for _, document in samples(folder)
        for _, other in spoiled(document)
    ]

    assert len(found) > 1_000
    assert {"calls", "note", "error"} <= set(found)


def test_a_silent_zero_would_be_found() -> None:
    assert outcome([{"role": "assistant", "content": "Hello."}]) == "nothing"


def block(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text}


TEXT_WAYS: dict[str, Way] = {
    "after a sentence": lambda text: f"Sure, here it is.\n\n{text}",
    "cut off": lambda text: text[: len(text) * 3 // 4],
    "other marks": lambda text: text.replace("tool", "toool"),
    "in a chat": lambda text: [{"role": "assistant", "content": text}],
    "cut off in a chat": lambda text: [
        {"role": "assistant", "content": text[: len(text) * 3 // 4]}
    ],
    "in a block": lambda text: [{"role": "assistant", "content": [{"type": "text", "text": text}]}],
    "in a response": lambda text: {
        "object": "response",
        "output": [{"type": "message", "role": "assistant", "content": [block(text)]}],
    },
}


def texts() -> list[tuple[str, str]]:
    """The names and values of the samples that are texts with calls."""
    paths = [path for path in sorted(SAMPLES.glob("formats/*/*.json")) if is_called(path)]
    found = [(path.name, msgspec.json.decode(path.read_bytes())) for path in paths]
    return [(name, text) for name, text in found if isinstance(text, str)]


@pytest.mark.parametrize("way", TEXT_WAYS)
def test_a_spoiled_text_is_not_silent(way: str) -> None:
    found = [(name, outcome(TEXT_WAYS[way](text))) for name, text in texts()]

    assert len(found) > 20
    assert [name for name, what in found if what == "nothing"] == []
