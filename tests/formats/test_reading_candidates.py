"""The first answers of a document."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from callscore.documents import read_documents
from callscore.errors import InvalidSettings
from callscore.formats.dialect import dialects
from callscore.formats.reading import read_as, read_candidates, read_document
from callscore.formats.trace import DEFAULT_WANTED, Wanted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callscore.formats.dialect import Dialect

SAMPLES = Path(__file__).parents[1] / "samples/formats"


def call(name: str) -> dict[str, Any]:
    return {"id": name, "type": "function", "function": {"name": name, "arguments": "{}"}}


def choice(index: int | None, *names: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": None, "tool_calls": [*map(call, names)]}
    return {"message": message} if index is None else {"index": index, "message": message}


def completion(*choices: dict[str, Any]) -> dict[str, Any]:
    return {"object": "chat.completion", "choices": list(choices)}


def names(document: Any, most: int) -> list[list[list[str]]]:
    """For each answer, for each run, the names of the tools."""
    answers = read_candidates(lambda wanted: read_document(document, wanted), DEFAULT_WANTED, most)
    return [[[made.name for made in trace.calls or ()] for trace in runs] for runs in answers]


def test_each_answer_is_read_up_to_the_most_that_count() -> None:
    document = completion(choice(0, "a"), choice(1, "b"), choice(2))

    assert names(document, 1) == [[["a"]]]
    assert names(document, 2) == [[["a"]], [["b"]]]
    assert names(document, 9) == [[["a"]], [["b"]], [[]]]


def test_answers_without_numbers_are_read_by_their_places() -> None:
    assert names(completion(choice(None, "a"), choice(None, "b")), 9) == [[["a"]], [["b"]]]


def test_a_document_with_one_answer_is_read_once() -> None:
    read: list[Wanted] = []

    assert read_candidates(read.append, DEFAULT_WANTED, 9) == [None]
    assert len(read) == 1


def test_of_several_questions_one_with_fewer_answers_keeps_its_first() -> None:
    page = {
        "object": "list",
        "data": [completion(choice(0, "a")), completion(choice(0, "b"), choice(1, "c"))],
    }

    assert names(page, 9) == [[["a"], ["b"]], [["a"], ["c"]]]


def test_numbers_with_gaps_are_counted_and_not_waited_for() -> None:
    counts: list[int] = []
    wanted = Wanted(candidate=1, on_answers=counts.append)

    assert wanted.choose([0, 10**9, -5]) == 10**9
    assert counts == [2]


def test_without_anybody_to_tell_the_candidate_is_taken_as_it_is_asked_for() -> None:
    assert Wanted(candidate=7).choose(range(2)) == 7


def test_the_first_answers_and_a_certain_one_exclude_each_other() -> None:
    with pytest.raises(InvalidSettings, match="keep one"):
        read_candidates(lambda wanted: wanted, Wanted(candidate=1), 2)

    assert len(read_candidates(lambda wanted: wanted, Wanted(candidate=1), 1)) == 1


def _examples() -> Iterator[tuple[str, Dialect, Any]]:
    """The examples of dialects and their samples, with names."""
    for dialect in dialects():
        yield dialect.name, dialect, dialect.example
    for path in sorted(SAMPLES.glob("*/*.json")):
        for document in list(read_documents(path, on_bad=lambda *_: None))[:1]:
            yield f"{path.parent.name}/{path.stem}", document.dialect, document.value


def test_no_dialect_takes_an_answer_that_is_not_there_for_one_without_calls() -> None:
    wrong = []
    for name, dialect, document in _examples():
        counts: list[int] = []
        beyond = Wanted(candidate=1_000, on_answers=counts.append)
        is_same = read_as(dialect, document, beyond) == read_as(dialect, document, DEFAULT_WANTED)
        if not is_same or max(counts, default=1) >= 1_000:
            wrong.append(name)

    assert not wrong


@pytest.mark.parametrize(
    ("sample", "answers"),
    [
        ("openai_chat/n_choices_two_candidates", [["Paris"], ["Lyon"]]),
        ("gemini/gemini_two_candidates", None),
        ("openai_stream/two_candidates_and_two_answers", None),
    ],
)
def test_the_answers_of_real_documents_differ(sample: str, answers: Any) -> None:
    (document,) = read_documents(SAMPLES / f"{sample}.json")

    found = read_candidates(
        lambda wanted: read_as(document.dialect, document.value, wanted), DEFAULT_WANTED, 9
    )

    cities = [
        [(made.arguments or {}).get("city") for made in runs[0].calls or ()] for runs in found
    ]
    assert len(found) == 2
    assert cities[0] != cities[1]
    assert answers in (None, cities)
