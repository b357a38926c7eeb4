"""What holds for every dialect there is, on every sample there is."""

from __future__ import annotations

import contextlib
import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callscore.errors import CallscoreError
from callscore.formats.dialect import dialects
from callscore.formats.reading import find_dialect, read_definitions_in, read_document
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions

if TYPE_CHECKING:
    from callscore.core.call import ToolCall

SAMPLES = Path(__file__).parents[1] / "samples/formats"
ANSWERS = (".expected.json", ".schemas.json")
NAMES = sorted(
    path.relative_to(SAMPLES).as_posix().removesuffix(".json")
    for path in SAMPLES.rglob("*.json")
    if not path.name.endswith(ANSWERS)
)
every_dialect = pytest.mark.parametrize("dialect", dialects(), ids=lambda dialect: dialect.name)
WITHOUT_CALLS = ("aider",)  # no document of these has a call


def load(name: str) -> Any:
    return msgspec.json.decode((SAMPLES / name).read_bytes())


def calls_in(document: Any) -> list[ToolCall]:
    found: list[ToolCall] = []
    for trace in read_document(document):
        found += trace.any_calls
    return [call for call in found if call.caller != "user"]


def samples_of(dialect: Any) -> list[str]:
    return [name for name in NAMES if name.startswith(f"{dialect.name}/")]


def test_reading_leaves_the_document_as_it_is() -> None:
    documents = {name: load(f"{name}.json") for name in NAMES}

    for document in documents.values():
        read_document(document)
        read_definitions_in(document)

    assert documents == {name: load(f"{name}.json") for name in NAMES}


def test_turns_that_are_asked_for_change_nothing_but_the_turn_of_a_single_one() -> None:
    numbering = ReadOptions(numbers_turns=True)
    numbered = set()
    for name in NAMES:
        document = load(f"{name}.json")
        for plain, other in zip(
            read_document(document), read_document(document, numbering), strict=True
        ):
            turns = {call.turn for call in other.calls or ()}
            if plain.calls != other.calls:
                assert turns == {0}, name
                assert other.calls is not None
                bare = tuple([msgspec.structs.replace(call, turn=None) for call in other.calls])
                assert plain.calls == bare, name
                numbered.add(name.split("/")[0])
    families = {"openai_chat", "anthropic", "langfuse", "otel_genai", "http_exchanges", "tau2"}
    assert families <= numbered


@every_dialect
def test_a_dialect_has_an_example_that_it_claims_with_a_call_in_it(dialect: Any) -> None:
    found = find_dialect(dialect.example)

    assert found is not None
    assert found.name == dialect.name
    has_calls = bool(calls_in(dialect.example) or dialect.read_tools(dialect.example))
    assert has_calls is (dialect.name not in WITHOUT_CALLS)


def test_a_dialect_has_a_sample() -> None:
    assert not [dialect.name for dialect in dialects() if not samples_of(dialect)]


def test_no_two_dialects_share_a_place_in_the_order() -> None:
    orders = [dialect.order for dialect in dialects()]

    assert len(set(orders)) == len(orders)


# --- hostile documents ------------------------------------------------------------------------

JUNK: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 0, -1, 1.5, "", "x", "{", [], [[]], {}, {"x": 1}, [None], [1, "a"], {"type": 3}]
)


def places_in(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths to everything in a value."""
    found = [at]
    if isinstance(value, dict):
        for key, item in value.items():
            found += places_in(item, (*at, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            found += places_in(item, (*at, index))
    return found


def spoil(document: Any, at: tuple[Any, ...], junk: Any) -> Any:
    if not at:
        return junk
    spoiled = copy.deepcopy(document)
    inner = spoiled
    for step in at[:-1]:
        inner = inner[step]
    inner[at[-1]] = junk
    return spoiled


@every_dialect
@settings(max_examples=60)
@given(data=st.data())
def test_a_spoiled_sample_raises_nothing_but_our_errors(dialect: Any, data: Any) -> None:
    document = load(f"{data.draw(st.sampled_from(samples_of(dialect)))}.json")
    for _ in range(data.draw(st.integers(1, 3))):
        document = spoil(document, data.draw(st.sampled_from(places_in(document))), data.draw(JUNK))

    dialect.recognizes(document)
    for read in (
        lambda: read_document(document),
        lambda: read_definitions_in(document),
        # What its own dialect would no longer claim must not break it: users can name a format.
        lambda: dialect.read(document, DEFAULT_READ_OPTIONS),
        lambda: dialect.read_tools(document),
    ):
        with contextlib.suppress(CallscoreError):
            read()


@every_dialect
def test_a_dialect_refuses_what_is_nothing_of_its_kind(dialect: Any) -> None:
    nothings: list[Any] = [None, True, 3, 1.5, "", "x", [], {}, [[]], [None], [{}]]

    assert not [nothing for nothing in nothings if dialect.recognizes(nothing)]
    assert not [nothing for nothing in nothings if dialect.joins_lines(nothing)]
