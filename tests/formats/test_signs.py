"""Signs: they save asking most dialects, and never change which one is found."""

from __future__ import annotations

import ast
import inspect
from copy import deepcopy
from functools import cache
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.core.call import FaultyObject, Malformed
from callscore.formats.dialect import Dialect, dialects, sign_index
from callscore.formats.reading import find_dialect
from callscore.formats.signs import TEXT_SIGNS, SignIndex, Signs, found_signs

SAMPLES = Path(__file__).parents[1] / "samples/formats"
MAX_SIZE = 8_000  # bytes; larger samples have no other shapes
JUNK: tuple[Any, ...] = (None, 1, 0.5, True, "x", "", [], {}, [[]], [{}], [1])


@cache
def samples() -> list[Any]:
    """The documents of all dialects."""
    paths = [path for path in sorted(SAMPLES.rglob("*.json")) if path.stat().st_size < MAX_SIZE]
    examples = [dialect.example for dialect in dialects()]
    return examples + [msgspec.json.decode(path.read_bytes()) for path in paths]


def parts_of(value: Any) -> list[Any]:
    """A value, and all objects and lists in it."""
    held = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    inner = [item for item in held if isinstance(item, dict | list)]
    return [value, *(part for item in inner for part in parts_of(item))]


@cache
def words_in(module_name: str) -> list[str]:
    """The words in the module of a dialect: among them are most keys that it looks for."""
    module = import_module(f"callscore.formats.dialects.{module_name}")
    nodes = ast.walk(ast.parse(inspect.getsource(module)))
    texts = [node.value for node in nodes if isinstance(node, ast.Constant)]
    return sorted({text for text in texts if isinstance(text, str) and text.strip() == text})


def first_that_recognizes(document: Any) -> Dialect | None:
    return next((dialect for dialect in dialects() if dialect.recognizes(document)), None)


def overlooked(document: Any) -> list[str]:
    """The dialects that recognize a document without having its signs."""
    asked = {dialect.name for dialect in sign_index().dialects_for(document)}
    others = [dialect for dialect in dialects() if dialect.name not in asked]
    return [dialect.name for dialect in others if dialect.recognizes(document)]


def test_every_built_in_dialect_has_signs() -> None:
    assert not [dialect.name for dialect in dialects() if dialect.signs is None]


@pytest.mark.slow
def test_the_signs_of_samples_and_their_parts_overlook_no_dialect() -> None:
    parts = [part for sample in samples() for part in parts_of(sample)[:40]]

    assert not [(names, part) for part in parts if (names := overlooked(part))]


@st.composite
def edited_documents(draw: st.DrawFn) -> Any:
    """A sample or a part of one; keys are renamed to others that its dialect knows, or removed."""
    document = deepcopy(draw(st.sampled_from(samples())))
    if draw(st.booleans()):
        document = draw(st.sampled_from(parts_of(document)))
    dialect = first_that_recognizes(document) or draw(st.sampled_from(dialects()))
    words = st.sampled_from(words_in(dialect.name))
    for _ in range(draw(st.integers(0, 3))):
        nodes = [part for part in parts_of(document)[:20] if isinstance(part, dict | list) and part]
        if nodes:
            node = draw(st.sampled_from(nodes[: 1 if draw(st.booleans()) else None]))
            edit(draw, node, words)
    wrap = draw(st.sampled_from(("not", "not", "not", "list", "object", "neighbour")))
    if wrap == "list":
        return [document]
    if wrap == "object":
        return {draw(words): document}
    return [document, draw(st.sampled_from(JUNK))] if wrap == "neighbour" else document


def edit(draw: st.DrawFn, node: Any, words: st.SearchStrategy[str]) -> None:
    """Change one item of an object or a list."""
    key = draw(st.sampled_from([*node] if isinstance(node, dict) else range(len(node))))
    values = st.sampled_from((*JUNK, *parts_of(node)[1:6])).map(deepcopy)
    way = draw(st.sampled_from(("remove", "replace", "add", "rename")))
    if way == "remove":
        del node[key]
    elif way == "replace":
        node[key] = draw(values)
    elif isinstance(node, list):
        node.insert(key, draw(values))
    else:
        node[draw(words)] = draw(values) if way == "add" else node.pop(key)


@given(edited_documents())
def test_the_dialect_found_is_the_first_of_all_that_recognizes_a_document(document: Any) -> None:
    assert not overlooked(document)
    assert find_dialect(document) is first_that_recognizes(document)


def test_few_dialects_are_asked() -> None:
    counts = []
    for sample in samples():
        asked = [dialect.name for dialect in sign_index().dialects_for(sample)]
        found = find_dialect(sample)
        counts.append(asked.index(found.name) if found else len(asked))

    assert median(counts) <= 4
    assert max(counts) <= len(dialects()) / 5


# --- the index --------------------------------------------------------------------------------


def dialect_with(name: str, signs: Signs | None) -> Dialect:
    return Dialect(
        name=name,
        order=0,
        title=name,
        example=None,
        recognizes=lambda _: True,
        read=lambda _, __: [],
        read_tools=lambda _: [],
        joins_lines=lambda _: False,
        signs=signs,
    )


def kind_of(document: Any) -> Any:
    return document.get("kind") if isinstance(document, dict) else "list"


INDEX = SignIndex(
    (
        dialect_with("anything", None),
        dialect_with("text", TEXT_SIGNS),
        dialect_with("objects", Signs(keys=("a", "b"), item_keys=("c",))),
        dialect_with("both", Signs(keys=("a",))),
        dialect_with("values", Signs(value_types=(dict,))),
        dialect_with("others", Signs(has_other_items=True)),
        dialect_with("kinds", Signs(kind=(kind_of, 1))),
        dialect_with("lists", Signs(kind=(kind_of, "list"))),
        dialect_with("messages", Signs(message_keys=("role",))),
    )
)


@pytest.mark.parametrize(
    ("document", "names"),
    [
        ("a", ["text"]),
        (None, []),
        (5, []),
        ({}, []),
        ({"x": 1}, []),
        ({"a": 1, "b": 2}, ["objects", "both"]),
        ({"b": 2}, ["objects"]),
        ({"x": {}}, ["values"]),
        ({"x": FaultyObject({}, Malformed("", ""))}, ["values"]),
        ({"x": 1, "y": {}}, []),
        ({"kind": 1}, ["kinds"]),
        ({"kind": 2}, []),
        ({1: 2}, []),
        ({"messages": [{"x": 1}, {"role": 1}]}, ["messages"]),
        ({"messages": [{"x": 1}]}, []),
        ({"messages": []}, []),
        ({"messages": None}, []),
        ({"messages": [{"x": 1}, []]}, ["messages"]),
        ({"messages": 5}, ["messages"]),
        ([{"role": 1}], ["lists"]),
        ([], ["lists"]),
        ([{"b": 1}, {"c": 1}], ["objects", "lists"]),
        ([{}, {"a": 1}], ["both", "lists"]),
        ([{"x": {}}], ["values", "lists"]),
        ([{"x": 1}, {"x": {}}], ["lists"]),
        ([{"c": 1}, 5], ["objects", "others", "lists"]),
        ([[]], ["others", "lists"]),
    ],
)
def test_a_dialect_is_asked_if_a_document_has_one_of_its_signs(
    document: Any, names: list[str]
) -> None:
    found = [dialect.name for dialect in INDEX.dialects_for(document)]

    assert found == ["anything", *names]


@pytest.mark.parametrize(
    ("signs", "document", "words"),
    [
        (None, {"a": 1}, []),
        (Signs(keys=("a", "b", "c")), {"c": 1, "a": 1}, ['the key "c"', 'the key "a"']),
        (Signs(keys=("a",)), [5, {"a": 1}], ['the key "a"']),
        (Signs(keys=("a",), item_keys=("b",)), [{"a": 1, "b": 2}], ['the key "b"']),
        (Signs(message_keys=("a",)), {"messages": [{"a": 1}, 5]}, ['the key "a" of a message']),
        (Signs(message_keys=("a",)), {"messages": "a"}, []),
        (Signs(kind=(len, 1)), {"a": 1}, ["its shape (1)"]),
        (Signs(kind=(len, 2)), {"a": 1}, []),
        (TEXT_SIGNS, "Action: f", ["marks in the text"]),
        (Signs(keys=("a",)), "a", []),
    ],
)
def test_signs_are_said_in_words(signs: Signs | None, document: Any, words: list[str]) -> None:
    assert found_signs(signs, document) == words
