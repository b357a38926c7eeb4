"""Documents of a known dialect, and of one that the user names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import structs

from callscore.core.call import ToolCall
from callscore.documents import read_documents
from callscore.errors import InvalidCall, InvalidSettings, UnknownFormat
from callscore.formats.dialect import dialect_named, dialects
from callscore.formats.reading import (
    Recognizer,
    find_dialect,
    read_as,
    read_candidates,
    read_document,
    read_named,
    unknown_format_text,
)
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions, Trace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callscore.formats.dialect import Dialect

ANTHROPIC = dialect_named("anthropic")
MESSAGE = {
    "role": "assistant",
    "content": [{"type": "tool_use", "id": "1", "name": "f", "input": {}}],
}


@pytest.mark.parametrize(
    ("fields", "name", "trial"),
    [
        ({"id": "a"}, "a", None),
        ({"task_id": 7, "trial": 2}, "7", 2),
        ({"id": "a", "trial": []}, "a", None),
        ({"trial": 1}, None, None),
        ({"id": []}, None, None),
    ],
)
def test_a_record_that_keeps_messages_names_the_run(
    fields: dict[str, Any], name: str | None, trial: int | None
) -> None:
    (trace,) = read_as(ANTHROPIC, {**fields, "messages": [MESSAGE]})

    assert (trace.id, trace.trial) == (name, trial)


def test_the_id_of_an_answer_is_no_name_of_a_run() -> None:
    answer = {"id": "msg_1", "type": "message", "stop_reason": "tool_use", **MESSAGE}

    assert read_as(ANTHROPIC, answer)[0].id is None


def test_a_dialect_that_breaks_is_named() -> None:
    def broken(*_: Any) -> list[Trace]:
        raise KeyError("puffs")

    def bottomless(*_: Any) -> list[Trace]:
        raise RecursionError

    with pytest.raises(
        InvalidCall, match=r"the document cannot be read as 'anthropic' \(KeyError: 'puffs'\)"
    ):
        read_as(structs.replace(ANTHROPIC, read=broken), {})
    with pytest.raises(InvalidCall, match="nested too deeply"):
        read_as(structs.replace(ANTHROPIC, read=bottomless), {})


def test_calls_are_left_out_on_both_sides() -> None:
    calls = (ToolCall("f", {}), ToolCall("g", {}, caller="user"), ToolCall("h", {}, kind="hosted"))
    both = structs.replace(ANTHROPIC, read=lambda *_: [Trace(calls=calls, expected=calls)])

    (trace,) = read_as(both, {})
    (without,) = read_as(both, {}, ReadOptions(leave_out=("hosted",)))
    (whole,) = read_as(both, {}, ReadOptions(leave_out=()))

    assert trace.calls == trace.expected == (calls[0], calls[2])
    assert without.calls == calls[:2]
    assert whole.calls == calls


SHARED = tuple([ToolCall("f", caller=who) for who in (None, "user", "subagent", "code")])


@pytest.mark.parametrize(
    ("given", "said", "found"),
    [
        (ReadOptions(), None, (None, "subagent", "code")),
        (ReadOptions(), ("agent", "user"), (None, "user")),
        (ReadOptions(leave_out=()), ("agent", "user"), (None, "user")),
        (ReadOptions(callers=("agent",)), None, (None,)),
        # What the user of callscore wants is more important than what the document says.
        (ReadOptions(callers=("agent",)), ("agent", "user"), (None,)),
        (ReadOptions(callers=("user",)), ("agent",), ("user",)),
        # By default, calls of a user are left out, which is no wish.
        (
            ReadOptions(callers=("agent", "user", "code"), leave_out=("user", "code")),
            None,
            (None, "user"),
        ),
    ],
)
def test_whose_calls_count_is_a_wish_or_what_the_document_says(
    given: ReadOptions, said: tuple[str, ...] | None, found: tuple[str | None, ...]
) -> None:
    trace = Trace(calls=SHARED, expected=SHARED, callers=said)
    dialect = structs.replace(ANTHROPIC, read=lambda *_: [trace])

    (read,) = read_as(dialect, {}, given)

    assert read.calls == read.expected
    assert tuple([call.caller for call in read.calls or ()]) == found


def test_hosted_tools_are_left_out_whoever_calls() -> None:
    calls = (ToolCall("f", kind="hosted"), ToolCall("g", caller="user", kind="hosted"), SHARED[1])
    dialect = structs.replace(ANTHROPIC, read=lambda *_: [Trace(calls=calls)])

    (read,) = read_as(dialect, {}, ReadOptions(callers=("agent", "user"), leave_out=("hosted",)))

    assert read.calls == (SHARED[1],)


def test_a_document_of_another_kind_is_refused_where_a_format_is_named() -> None:
    assert read_named(ANTHROPIC, [MESSAGE])[0].calls
    assert read_named(ANTHROPIC, {"tools": [{"name": "f", "input_schema": {}}]})[0].calls == ()
    with pytest.raises(
        UnknownFormat,
        match=r"the document is not in the format 'anthropic'\. It looks like 'gemini'\.",
    ):
        read_named(ANTHROPIC, {"candidates": [{"content": {"parts": [{"text": "x"}]}}]})
    with pytest.raises(UnknownFormat, match=r"the document is not in the format 'anthropic'\.$"):
        read_named(ANTHROPIC, 5)


def test_of_a_list_of_documents_each_is_read() -> None:
    documents = [{"id": name, "messages": [MESSAGE]} for name in "ab"]

    assert [trace.id for trace in read_document(documents)] == ["a", "b"]
    with pytest.raises(UnknownFormat):
        read_document([*documents, {"colour": 1}])


# The first answers of a document.

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
    answers = read_candidates(
        lambda read_options: read_document(document, read_options), DEFAULT_READ_OPTIONS, most
    )
    return [[[made.name for made in trace.calls or ()] for trace in runs] for runs in answers]


def test_each_answer_is_read_up_to_the_most_that_count() -> None:
    document = completion(choice(0, "a"), choice(1, "b"), choice(2))

    assert names(document, 1) == [[["a"]]]
    assert names(document, 2) == [[["a"]], [["b"]]]
    assert names(document, 9) == [[["a"]], [["b"]], [[]]]


def test_answers_without_numbers_are_read_by_their_places() -> None:
    assert names(completion(choice(None, "a"), choice(None, "b")), 9) == [[["a"]], [["b"]]]


def test_a_document_with_one_answer_is_read_once() -> None:
    read: list[ReadOptions] = []

    assert read_candidates(read.append, DEFAULT_READ_OPTIONS, 9) == [None]
    assert len(read) == 1


def test_of_several_questions_one_with_fewer_answers_keeps_its_first() -> None:
    page = {
        "object": "list",
        "data": [completion(choice(0, "a")), completion(choice(0, "b"), choice(1, "c"))],
    }

    assert names(page, 9) == [[["a"], ["b"]], [["a"], ["c"]]]


def test_numbers_with_gaps_are_counted_and_not_waited_for() -> None:
    counts: list[int] = []
    read_options = ReadOptions(candidate=1, on_answers=counts.append)

    assert read_options.choose([0, 10**9, -5]) == 10**9
    assert counts == [2]


def test_without_anybody_to_tell_the_candidate_is_taken_as_it_is_asked_for() -> None:
    assert ReadOptions(candidate=7).choose(range(2)) == 7


def test_the_first_answers_and_a_certain_one_exclude_each_other() -> None:
    with pytest.raises(InvalidSettings, match="Keep one"):
        read_candidates(lambda read_options: read_options, ReadOptions(candidate=1), 2)

    assert len(read_candidates(lambda read_options: read_options, ReadOptions(candidate=1), 1)) == 1


def _examples() -> Iterator[tuple[str, Dialect, Any]]:
    """The examples of dialects and their samples, with names."""
    for dialect in dialects():
        yield dialect.name, dialect, dialect.example
    for path in sorted(SAMPLES.glob("*/*.json")):
        if path.name.endswith(".expected.json"):
            continue
        for document in list(read_documents(path, on_bad=lambda *_: None))[:1]:
            yield f"{path.parent.name}/{path.stem}", document.dialect, document.value


def test_no_dialect_takes_an_answer_that_is_not_there_for_one_without_calls() -> None:
    wrong = []
    for name, dialect, document in _examples():
        counts: list[int] = []
        beyond = ReadOptions(candidate=1_000, on_answers=counts.append)
        is_same = read_as(dialect, document, beyond) == read_as(
            dialect, document, DEFAULT_READ_OPTIONS
        )
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
        lambda read_options: read_as(document.dialect, document.value, read_options),
        DEFAULT_READ_OPTIONS,
        9,
    )

    cities = [
        [(made.arguments or {}).get("city") for made in runs[0].calls or ()] for runs in found
    ]
    assert len(found) == 2
    assert cities[0] != cities[1]
    assert answers in (None, cities)


# Which dialect a document is written in.

CHAT = {"choices": [{"message": {"role": "assistant", "content": "x"}}]}
GEMINI = {"candidates": [{"content": {"role": "model", "parts": [{"text": "x"}]}}]}


def test_the_first_that_recognizes_a_document_wins() -> None:
    claiming = [dialect for dialect in dialects() if dialect.recognizes(CHAT)]

    assert find_dialect(CHAT) is claiming[0]
    assert Recognizer().recognize(CHAT).name == "openai_chat"


def test_a_file_is_looked_up_once_and_then_checked() -> None:
    recognizer = Recognizer()

    first = recognizer.recognize(CHAT)
    assert recognizer.recognize(CHAT) is first
    assert recognizer.recognize(GEMINI).name == "gemini"
    assert recognizer.find({"colour": 1}) is None
    assert recognizer.recognize(CHAT) is first
    with pytest.raises(UnknownFormat):
        recognizer.recognize({"colour": 1})


def test_the_format_of_an_earlier_document_does_not_claim_one_of_another_format() -> None:
    recognizer = Recognizer()
    tools = [{"type": "function", "name": "f", "parameters": {"type": "object", "properties": {}}}]
    response = {"object": "response", "output": [], "tools": tools}

    assert recognizer.recognize({"tools": tools}).name == "tool_definitions"
    assert recognizer.recognize(response).name == "openai_responses"


def test_an_answer_of_few_dialects_is_not_one_of_all() -> None:
    recognizer = Recognizer()
    document = {"name": "f", "input": {}, "type": "tool_use", "id": "toolu_1"}
    last = [dialect.name for dialect in dialects() if dialect.recognizes(document)][-1]

    found = recognizer.find(document, frozenset((last,)))

    assert found is not None
    assert found.name == last
    assert recognizer.find(document) is find_dialect(document)


def test_only_some_dialects_can_be_asked() -> None:
    recognizer = Recognizer()
    others = frozenset(("gemini", "anthropic"))

    assert find_dialect(CHAT, others) is None
    assert recognizer.recognize(CHAT).name == "openai_chat"
    assert recognizer.find(CHAT, others) is None
    found = recognizer.find(GEMINI, others)
    assert found is not None
    assert recognizer.find(GEMINI, others) is found


def test_an_unknown_document_is_told_what_it_looks_like() -> None:
    with pytest.raises(UnknownFormat) as caught:
        Recognizer().recognize({"choices": [], "message": {"tool_calls": 5}, "finish_reason": "x"})

    assert "unknown format: an object with the keys 'choices', 'message'" in str(caught.value)
    assert "Most similar: " in str(caught.value)
    assert "openai_chat" in str(caught.value)


def test_the_message_for_a_value_unlike_any_format_has_no_guess() -> None:
    assert (
        unknown_format_text(5)
        == "unknown format: 5. 'callscore formats' lists all formats; --input-format selects one."
    )


def test_a_format_of_last_resort_is_never_tried_before_others() -> None:
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
    recognizer = Recognizer()

    found = [
        recognizer.find(document)
        for document in (
            {"id": "asst_1", "object": "assistant", "model": "m", "tools": [tool]},
            {"id": "run_1", "object": "thread.run", "status": "queued", "tools": [tool]},
        )
    ]

    assert [dialect and dialect.name for dialect in found] == [
        "tool_definitions",
        "openai_assistants",
    ]


def test_deep_documents_are_looked_at_from_above() -> None:
    deep: dict[str, object] = {}
    for _ in range(100_000):
        deep = {"choices": deep}

    assert "openai" in unknown_format_text(deep)
