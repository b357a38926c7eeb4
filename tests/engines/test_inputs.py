"""The cases in files, whatever the files are."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest

from callscore import ReadOptions, Results, Settings, score_cases, score_files, score_joined
from callscore.core.call import ToolCall
from callscore.core.case import Case
from callscore.engines.inputs import (
    CASES,
    TRACES,
    InputOptions,
    input_options_for,
    join_traces,
    read_cases,
)
from callscore.errors import InvalidSettings, UnreadableInput
from callscore.formats.cases import NO_ID
from callscore.sources import BadRecord

SAMPLES = Path(__file__).parents[1] / "samples/formats"


def call(name: str = "f", arguments: str = "{}") -> dict[str, Any]:
    return {"id": "1", "type": "function", "function": {"name": name, "arguments": arguments}}


def chat(*calls: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"role": "user", "content": "x"}, {"role": "assistant", "tool_calls": list(calls)}]


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def write(name: str, *values: Any) -> Path:
        data = b"\n".join(map(msgspec.json.encode, values)) + b"\n"
        (tmp_path / name).write_bytes(data)
        return tmp_path / name

    return write


def f1(results: Results) -> float | None:
    return results.summary.macro_f1


def test_a_side_of_a_case_may_be_a_document(write: Any) -> None:
    file = write("cases.jsonl", {"id": "a", "expected": ["f"], "actual": chat(call())})

    assert f1(score_files(file)) == 1


def _documents() -> list[tuple[str, Any, Any]]:
    """The samples that can be a side of a case and have an answer, with their calls."""
    found = []
    for path in sorted(SAMPLES.glob("*/*.json")):
        if path.name.count(".") > 1 or path.parent.name in {"callscore_case", "tool_definitions"}:
            continue
        document = msgspec.json.decode(path.read_bytes())
        with suppress(UnreadableInput):
            results = score_cases([{"id": "a", "expected": [], "actual": document}], show="all")
            found.append((path.name, document, results.cases[0].score.actual))
    assert len(found) > 60
    return found


@pytest.mark.parametrize("field", ["trace", "messages", "output"])
def test_a_case_may_have_its_trace_in_place_of_actual_calls(write: Any, field: str) -> None:
    differing = []
    for name, document, calls in _documents():
        record = {"id": "a", "expected": [], field: document}
        from_file = score_files(write("cases.jsonl", record), show="all").cases
        from_python = score_cases([record], show="all").cases
        if [case.score.actual for case in from_file + from_python] != [calls, calls]:
            differing.append((name, from_file, from_python))
    assert not differing


def test_a_trace_may_be_in_a_field_beside_its_id(write: Any) -> None:
    references = write("references.jsonl", {"id": "a", "expected": []})
    of_several_runs = {"openinference_span_to_json.json", "otlp_batches_of_two_runs.json"}
    differing = []
    for name, document, calls in _documents():
        if name in of_several_runs:
            continue
        traces = write("traces.jsonl", {"id": "a", "trace": document})
        results = score_joined(references, traces, show="all")
        if [case.score.actual for case in results.cases] != [calls]:
            differing.append(name)
    assert not differing


@pytest.mark.parametrize("field", ["messages", "trace", "actual"])
@pytest.mark.parametrize("is_after_calls", [True, False])
def test_a_question_in_a_file_of_traces_is_no_answer(
    write: Any, field: str, *, is_after_calls: bool
) -> None:
    names = ["b", "a"] if is_after_calls else ["a"]
    references = write("references.jsonl", *[{"id": name, "expected": []} for name in names])
    answered = [{"id": "b", "actual": []}] if is_after_calls else []
    question = {"id": "a", field: [{"role": "user", "content": "x"}]}

    results = score_joined(references, write("traces.jsonl", *answered, question))

    assert (results.summary.passed, results.not_run.names) == (len(answered), ("a",))


def test_where_a_side_is_mapped_no_trace_is_taken_for_the_other(write: Any) -> None:
    record = {"id": "a", "messages": chat(call()), "wanted": ["f"], "expected": ["g"], "n": "b"}
    file = write("cases.jsonl", record)

    assert score_files(file, fields={"expected": "$.messages"}).not_run.names == ("a",)
    assert f1(score_files(file, fields={"id": "$.n"})) == 0  # expected g, and f was called


def test_a_file_of_another_dialect_that_says_what_was_expected_is_scored() -> None:
    results = score_files(SAMPLES / "ragas/ragas_multi_turn_sample.json")

    assert results.summary.cases == 1
    assert results.summary.total_expected == 2
    assert results.summary.total_actual == 3


def test_a_trace_that_does_not_say_is_counted_as_not_scored(write: Any) -> None:
    results = score_files(write("log.jsonl", {"id": "a", "messages": chat(call())}))

    assert results.not_scored.names == ("a",)


def test_files_of_two_dialects_are_joined_on_their_ids(write: Any) -> None:
    expected = write(
        "golden.jsonl",
        {"id": "a", "expected": [{"name": "f", "arguments": {}}]},
        {"id": "b", "expected": []},
    )
    actual = write(
        "log.jsonl",
        {"id": "b", "messages": chat(call("g"))},
        {"id": "a", "messages": chat(call())},
    )

    results = score_joined(expected, actual, show="all")

    assert {case.id: case.score.f1 for case in results.cases} == {"a": 1.0, "b": 0.0}


def test_a_single_run_on_each_side_needs_no_id(write: Any) -> None:
    golden = write("golden.jsonl", {"tool": "f", "args": {}}, {"tool": "g", "args": {}})
    run = write("run.json", chat(call(), call("g")))

    results = score_joined(golden, run, show="all")

    assert f1(results) == 1
    assert results.cases[0].id.startswith("sha-")


def test_lines_of_one_conversation_are_one_run(write: Any) -> None:
    run = write("run.jsonl", *chat(call(), call("g")))
    golden = write("golden.json", [{"name": "f", "args": {}}, {"name": "g", "args": {}}])

    assert f1(score_joined(golden, run)) == 1


def test_what_is_expected_cannot_stand_on_the_actual_side(write: Any) -> None:
    evalset = SAMPLES / "adk_evalset/adk_evalset.json"

    with pytest.raises(UnreadableInput, match="the document has expected calls, but no actual"):
        score_joined(write("golden.json", {"id": "a", "expected": ["f"]}), evalset)


@pytest.mark.parametrize("suffix", ["jsonl", "json"])
def test_fields_may_stand_elsewhere(write: Any, suffix: str) -> None:
    records = [
        {"meta": {"task": 1}, "gold": [{"name": "f"}], "log": {"chat": chat(call())}, "n": 0},
        {"meta": {"task": 1}, "gold": [{"name": "f"}], "log": {"chat": chat()}, "n": 1},
    ]
    file = write(f"log.{suffix}", *(records if suffix == "jsonl" else [records]))
    fields = {"id": "$.meta.task", "expected": "gold", "actual": "$.log.chat", "trial": "n"}

    results = score_files(file, fields=fields, show="all")

    assert [(case.id, case.trial, case.score.f1) for case in results.cases] == [
        ("1", 0, 1.0),
        ("1", 1, 0.0),
    ]


def test_a_field_may_name_what_a_trace_does_not_say(write: Any) -> None:
    golden = write("golden.jsonl", {"id": "t1", "expected": ["f"]}, {"id": "t2", "expected": []})
    log = write(
        "log.jsonl",
        {"messages": chat(call()), "meta": {"task": "t1", "try": 3, "asked": "x"}},
        {"messages": chat(), "meta": {"task": "t2", "try": 3, "asked": "y"}},
    )
    fields = {"id": "$.meta.task", "trial": "$.meta.try", "input": "$.meta.asked"}
    only_id = {"id": "$.meta.task"}

    named = list(read_cases(str(log), TRACES, input_options_for(fields)))
    results = score_joined(
        write(
            "golden2.jsonl",
            *[
                {**msgspec.json.decode(line), "meta": {"task": f"t{at}"}}
                for at, line in enumerate(golden.read_bytes().splitlines(), 1)
            ],
        ),
        log,
        fields=only_id,
    )

    cases = [found[1] for found in named if not isinstance(found, BadRecord)]
    assert [(case.id, case.trial, case.input) for case in cases] == [("t1", 3, "x"), ("t2", 3, "y")]
    assert f1(results) == 1


def test_a_field_that_is_not_there_is_named(write: Any) -> None:
    file = write("log.jsonl", {"name": "a", "expected": [], "actual": []})

    with pytest.raises(UnreadableInput, match=r"log.jsonl:1: field 'id': nothing at \$\.x"):
        score_files(file, fields={"id": "$.x"})


def test_with_two_files_a_path_is_followed_where_it_applies(write: Any) -> None:
    golden = write("golden.jsonl", {"task": "a", "gold": ["f"]})
    log = write("log.jsonl", {"task": "a", "chat": chat(call())})
    fields = {"id": "task", "expected": "gold", "actual": "chat"}

    assert f1(score_joined(golden, log, fields=fields)) == 1


def test_a_format_can_be_named(write: Any) -> None:
    file = write("log.jsonl", {"id": "a", "messages": chat(call())})

    found = list(read_cases(str(file), CASES, input_options_for(format="openai_chat")))

    assert len(found) == 1
    assert not isinstance(found[0], BadRecord)
    assert found[0][1].actual
    with pytest.raises(InvalidSettings, match="unknown format 'openai'"):
        score_files(file, format="openai")
    with pytest.raises(InvalidSettings):
        score_files(file, fields={"id": "$.["})


def test_a_document_that_cannot_be_read_is_a_bad_record(write: Any) -> None:
    in_words = {"id": "memory_0", "ground_truth": ["Michael"]}

    found = list(read_cases(str(write("answers.json", in_words)), CASES, InputOptions()))

    assert len(found) == 1
    assert isinstance(found[0], BadRecord)


def test_expected_calls_of_a_trace_that_cannot_be_read_are_a_bad_record(write: Any) -> None:
    golden = write("golden.json", {"id": "a", "messages": chat(call("f", "{"))})

    with pytest.raises(UnreadableInput, match="the arguments of 'f' cannot be read"):
        score_joined(golden, golden)


def test_records_in_our_own_other_names_need_no_dialect(write: Any) -> None:
    ours = [
        {"id": str(at), "referenceToolCalls": [{"name": "f", "arguments": {}}], "toolCalls": ["f"]}
        for at in range(3)
    ]

    assert f1(score_files(write("cases.jsonl", *ours))) == 1
    assert f1(score_files(write("cases.json", ours))) == 1
    named = [{"id": "0", "toolCalls": [{"toolName": "f", "input": {}}]}]
    assert (
        f1(score_joined(write("r.jsonl", {"id": "0", "calls": ["f"]}), write("t.json", named))) == 1
    )


def test_what_is_neither_a_case_nor_a_trace_is_told_both(write: Any) -> None:
    file = write("x.jsonl", {"colour": 1})

    with pytest.raises(UnreadableInput) as caught:
        score_files(file)

    assert "a case must have 'id', 'expected' and 'actual'" in str(caught.value)
    assert "--map actual=$.path.to.calls. If it is a trace, pass its format" in str(caught.value)


def test_an_empty_list_holds_no_case(write: Any) -> None:
    assert score_files(write("none.json", [])).summary.cases == 0


def test_a_named_format_is_for_documents_and_not_for_our_own_records(write: Any) -> None:
    golden = write("golden.jsonl", {"id": "x", "expected": ["f"]})
    log = write("log.json", {"id": "x", "messages": chat(call())})
    cases = write("cases.jsonl", {"id": "x", "expected": ["f"], "actual": "I am sorry, I cannot."})

    assert f1(score_joined(golden, log, format="openai_chat")) == 1
    assert f1(score_files(cases, format="text_hermes")) == 0
    with pytest.raises(
        UnreadableInput, match=r"not in the format 'gemini'\. It looks like 'openai_chat'\."
    ):
        score_joined(golden, log, format="gemini")


def test_words_alone_are_an_answer_without_calls(write: Any) -> None:
    prose = write("a.jsonl", {"id": 1, "expected": [], "actual": "Hello, I cannot help with that."})
    name = write("b.jsonl", {"id": 1, "expected": [], "actual": "get_weather"})
    broken = write("c.jsonl", {"id": 1, "expected": [], "actual": "call {oops now"})

    assert f1(score_files(prose)) == 1
    for file in (name, broken):
        with pytest.raises(UnreadableInput):
            score_files(file)


def test_messages_with_ids_are_traces_of_their_own(write: Any) -> None:
    golden = write("g.jsonl", *({"id": name, "expected": ["f"]} for name in "ab"))
    message = {"role": "assistant", "content": None, "tool_calls": [call()]}
    log = write("log.jsonl", *({**message, "id": name} for name in "ab"))

    results = score_joined(golden, log)

    assert (results.summary.cases, f1(results)) == (2, 1)


def test_a_message_without_calls_is_a_trace_where_messages_are_traces(write: Any) -> None:
    golden = write("g.jsonl", *({"id": name, "expected": ["f"]} for name in "ac"))
    message = {"role": "assistant", "content": None, "tool_calls": [call()]}
    log = write(
        "log.jsonl",
        {**message, "id": "a"},
        {"id": "b", "role": "assistant", "content": "Hi"},
        {**message, "id": "c"},
    )

    results = score_joined([golden, write("b.jsonl", {"id": "b", "expected": []})], log)

    assert (results.summary.cases, f1(results)) == (3, 1)


def test_in_a_conversation_the_messages_may_have_ids(write: Any) -> None:
    lines = [{**message, "id": f"m{at}"} for at, message in enumerate(chat(call(), call("g")))]

    assert f1(score_joined(write("g.json", ["f", "g"]), write("log.jsonl", *lines))) == 1


def test_lines_are_put_together_by_the_id_that_the_user_names(write: Any) -> None:
    golden = write("g.jsonl", {"id": "s1", "expected": ["f"]}, {"id": "s2", "expected": ["g"]})
    one, two = chat(call()), chat(call("g"))
    log = write(
        "log.jsonl",
        *({"session": "s1", **message} for message in one),
        *({"session": "s2", **message} for message in two),
    )

    results = score_joined(golden, log, fields={"id": "$.session"})

    assert (results.summary.cases, f1(results)) == (2, 1)


def test_a_field_of_our_own_name_is_found_where_the_path_leads_nowhere(write: Any) -> None:
    golden = write("g.jsonl", {"id": "t1", "expected": ["f"]}, {"id": "t2", "expected": []})
    log = write("l.jsonl", *({"meta": {"id": f"t{n}"}, "messages": chat(call())} for n in (1, 2)))

    results = score_joined(golden, log, fields={"id": "$.meta.id"})

    assert (results.summary.cases, f1(results)) == (2, 0.5)


def test_a_request_that_failed_is_not_run(write: Any) -> None:
    golden = write("g.jsonl", {"id": "a", "expected": ["f"]}, {"id": "b", "expected": ["f"]})
    body = {"choices": [{"message": {"role": "assistant", "tool_calls": [call()]}}]}
    log = write(
        "batch.jsonl",
        {
            "id": "1",
            "custom_id": "a",
            "response": {"status_code": 200, "body": body},
            "error": None,
        },
        {
            "id": "2",
            "custom_id": "b",
            "response": None,
            "error": {"code": "expired", "message": "x"},
        },
    )

    results = score_joined(golden, log)

    assert f1(results) == 0.5
    assert results.not_run.names == ("b",)


def test_names_and_pairs_in_a_list_are_a_run(write: Any) -> None:
    run = write("run.json", chat(call()))

    assert f1(score_joined(write("a.json", ["f"]), run)) == 1
    assert f1(score_joined(write("b.json", [["f", {}]]), run)) == 1
    assert f1(score_joined(write("c.json", []), write("d.json", []))) == 1


def test_pairs_that_no_name_begins_are_a_stream_and_no_calls() -> None:
    stream = SAMPLES / "langgraph/langgraph_stream_messages.json"

    results = score_joined(stream, stream)

    assert results.summary.correct == 2


def test_one_of_many_runs_in_a_document_is_named_by_its_position(write: Any) -> None:
    records = [
        {
            "task_id": at,
            "info": {"task": {"actions": [{"name": "f", "kwargs": kwargs}]}},
            "traj": [],
        }
        for at, kwargs in enumerate(({}, [1]))
    ]

    with pytest.raises(UnreadableInput, match=r"tau.json\[1\]: expected: the arguments of 'f'"):
        score_files(write("tau.json", records), format="tau_bench")


def test_calls_under_a_key_of_ours_are_a_run_whatever_stands_beside(write: Any) -> None:
    run = write("run.jsonl", {"toolCalls": [{"name": "f", "arguments": {}}], "model": "x"})

    assert f1(score_joined(write("g.json", ["f"]), run)) == 1


def test_a_field_that_is_not_there_is_a_bad_record_that_can_be_skipped(write: Any) -> None:
    file = write("log.jsonl", {"name": "a", "gold": [], "chat": []}, {"other": 1})

    results = score_files(file, fields={"expected": "gold", "actual": "chat"}, skip_bad=True)

    assert (results.summary.cases, results.skipped.count) == (1, 1)


# References and traces, joined.

EXPECTED = (ToolCall("f", {}),)


def joined(
    references: list[str], traces: list[str]
) -> tuple[list[tuple[str, bool, bool]], list[str]]:
    """The ids of the cases, whether each was run and has a reference, and what was refused."""
    refused: list[str] = []
    cases = join_traces(
        [(f"r{at}", Case(id=name, expected=EXPECTED)) for at, name in enumerate(references)],
        [(f"t{at}", Case(id=name, actual=())) for at, name in enumerate(traces)],
        lambda place, problem: refused.append(f"{place}: {problem}"),
    )
    found = [(case.id, case.actual is not None, has_both) for _, case, has_both in cases]
    return found, refused


def test_the_same_id_joins() -> None:
    assert joined(["a", "b"], ["b", "a", "b", "c"]) == (
        [("b", True, True), ("a", True, True), ("b", True, True), ("c", True, False)],
        [],
    )


def test_a_reference_without_an_id_belongs_to_the_traces_of_one_id() -> None:
    assert joined([""], ["x"]) == ([("x", True, True)], [])
    assert joined([""], ["x", "x"]) == ([("x", True, True)] * 2, [])
    ((name, *rest),), _ = joined([""], [])
    assert name.startswith("sha-")
    assert rest == [False, True]


def test_a_reference_without_an_id_is_refused_beside_traces_with_different_ids() -> None:
    found, refused = joined([""], ["x", "y", "z"])

    assert found == [("x", True, False), ("y", True, False), ("z", True, False)]
    assert len(refused) == 1
    assert refused[0].startswith("r0: the reference has no id, but the traces have different ids.")


def test_a_trace_without_an_id_is_refused_beside_a_refused_reference() -> None:
    _, refused = joined([""], ["", "x", "y"])

    assert [text.partition(":")[0] for text in refused] == ["r0", "t0"]


@pytest.mark.parametrize("references", [["a", "b", ""], ["", "b", "a"], ["a", ""]])
def test_a_trace_without_an_id_belongs_to_no_reference_of_several(references: list[str]) -> None:
    found, refused = joined(references, [""])

    assert not any(has_trace for _, has_trace, _ in found)
    assert len(refused) == 1
    assert "several cases it could belong to" in refused[0]


def test_a_reference_without_an_id_and_a_trace_is_named_by_its_place(write: Any) -> None:
    references = write("r.jsonl", {"id": "a", "expected": ["f"]}, {"expected": ["h"]})
    traces = write("t.jsonl", {"id": "a", "actual": ["f"]})

    assert score_joined(references, traces).not_run.names == (f"{references}:2",)


def test_references_without_a_trace_come_last() -> None:
    assert joined(["a", "b"], ["b"])[0] == [("b", True, True), ("a", False, True)]


def test_a_single_run_on_each_side_needs_no_id_joining() -> None:
    (case,), refused = joined([NO_ID], [NO_ID])

    assert case[0].startswith("sha-")
    assert case[1:] == (True, True)
    assert refused == []
    assert joined(["a"], [NO_ID]) == ([("a", True, True)], [])
    assert joined([NO_ID], ["b"]) == ([("b", True, True)], [])


def test_where_there_are_more_the_id_must_be_said() -> None:
    for references, traces, place in (
        (["a", "b"], [NO_ID], "t0"),
        ([NO_ID], [NO_ID, NO_ID], "t1"),
        ([NO_ID, NO_ID], [NO_ID], "r1"),
        ([], [NO_ID], "t0"),
    ):
        _, refused = joined(references, traces)

        assert refused[0].startswith(f"{place}: the record has no id")
        assert "--map id=" in refused[0]


def test_a_reference_that_is_there_twice_is_named() -> None:
    _, refused = joined(["a", "a"], ["a"])

    assert refused == ["r1: duplicate reference id 'a', first used at r0. Keep one of them."]


# --- duplicate keys -----------------------------------------------------------------------------

TWICE = '{"id": "a", "expected": ["f"], "expected": [], "actual": []}'


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("f.jsonl", f"\n{TWICE}\n", "f.jsonl:2:32"),
        ("f.json", f"[{TWICE}]", "f.json:1:33"),
        ("f.json", f'{{"cases": [{TWICE}]}}', "f.json:1:43"),
        ("f.yaml", "id: a\nexpected: [f]\nexpected: []\nactual: []\n", "f.yaml:3:1"),
    ],
)
def test_a_duplicate_key_in_a_case_is_refused(
    tmp_path: Path, name: str, text: str, place: str
) -> None:
    (tmp_path / name).write_text(text)

    with pytest.raises(UnreadableInput) as caught:
        score_files(tmp_path / name)

    assert str(caught.value).endswith(f"{place}: duplicate key 'expected'. Remove one of them.")


def test_a_duplicate_key_in_arguments_of_a_case_is_refused(tmp_path: Path) -> None:
    nested = '{"name": "f", "arguments": {"a": {"b": 1, "b": 2}}}'
    for side in ("expected", "actual"):
        other = "actual" if side == "expected" else "expected"
        (tmp_path / "f.jsonl").write_text(f'{{"id": 1, "{side}": [{nested}], "{other}": []}}')

        with pytest.raises(UnreadableInput, match="duplicate key 'b'"):
            score_files(tmp_path / "f.jsonl")


@pytest.mark.parametrize(
    "text",
    [
        '[{"name": "f", "arguments": {"a": 1, "a": 2}}]',
        '{"id": "a", "expected": [{"name": "f", "name": "g"}]}',
    ],
)
def test_a_duplicate_key_in_a_reference_is_refused(tmp_path: Path, write: Any, text: str) -> None:
    (tmp_path / "golden.json").write_text(text)

    with pytest.raises(UnreadableInput, match=r"golden.json:1:\d+: duplicate key"):
        score_joined(tmp_path / "golden.json", write("t.jsonl", {"id": "a", "actual": ["f"]}))


def test_of_a_duplicate_key_in_a_trace_the_last_value_counts(tmp_path: Path, write: Any) -> None:
    message = msgspec.json.encode(chat(call())[1]).decode()
    doubled = message.replace('"role":"assistant"', '"role":"user","role":"assistant"')
    (tmp_path / "trace.json").write_text(f"[{doubled}]")
    golden = write("golden.json", [{"name": "f"}])

    assert f1(score_joined(golden, tmp_path / "trace.json")) == 1


def test_a_list_of_calls_with_a_duplicate_key_is_refused(tmp_path: Path, write: Any) -> None:
    (tmp_path / "trace.json").write_text('[["f", {"a": 1, "a": 2}]]')

    with pytest.raises(UnreadableInput, match="duplicate key 'a'"):
        score_joined(write("golden.json", [{"name": "f"}]), tmp_path / "trace.json")


_EVERY_WAY: tuple[dict[str, Any], ...] = (
    {},
    {"show": "all", "max_shown": None},
    {"settings": Settings(mode="flexible")},
    {"limit": 30_000},
)


@pytest.mark.parametrize("options", _EVERY_WAY)
@pytest.mark.parametrize("key", ["actual", "\\u0061ctual"])
def test_duplicate_sides_are_found_anywhere_in_a_large_file(
    tmp_path: Path, options: dict[str, Any], key: str
) -> None:
    lines = [f'{{"id": "{number}", "expected": [], "actual": []}}' for number in range(22_000)]
    lines[20_000] = f'{{"id": "a", "expected": [], "actual": [], "{key}": []}}'
    (tmp_path / "a.jsonl").write_text("\n".join(lines))

    with pytest.raises(UnreadableInput, match=r"a.jsonl:20001:43: duplicate key 'actual'"):
        score_files(tmp_path / "a.jsonl", **options)


@pytest.mark.parametrize("options", _EVERY_WAY)
def test_other_duplicate_keys_are_found_at_the_beginning_of_a_large_file(
    tmp_path: Path, options: dict[str, Any]
) -> None:
    calls = '[{"name": "f", "arguments": {"expected": "actual"}}]'
    plain = f'{{"id": "a", "expected": {calls}, "actual": {calls}}}\n'
    twice = plain.replace('"expected": "actual"', '"x": 1, "x": 2', 1)
    early, late = tmp_path / "early.jsonl", tmp_path / "late.jsonl"
    early.write_text(plain * 1000 + twice + plain * 5000)
    late.write_text(plain * 5000 + twice + plain * 1000)

    with pytest.raises(UnreadableInput, match=r"early.jsonl:1001:\d+: duplicate key 'x'"):
        score_files(early, **options)
    assert score_files(late, **options).summary.cases == 6001


def test_a_misspelled_field_is_suggested_without_further_advice(write: Any) -> None:
    with pytest.raises(UnreadableInput) as raised:
        score_files(write("c.jsonl", {"id": "a", "expectd": [], "actual": []}))
    with pytest.raises(UnreadableInput) as alone:
        score_files(write("d.jsonl", {"id": "a", "expectd": []}))

    for error in (raised.value, alone.value):
        assert error.problem.endswith("unknown field 'expectd'. Did you mean 'expected'?")


def test_files_may_be_named_after_their_cases(write: Any, tmp_path: Path) -> None:
    references = write(
        "references.jsonl", {"id": "a", "expected": ["f"]}, {"id": "b", "expected": ["g"]}
    )
    write("a.json", chat(call("f")))
    write("b.json", chat(call("g")))
    write("with_id.json", {"id": "b", "messages": chat(call("h"))})
    traces = [tmp_path / "a.json", tmp_path / "b.json"]

    assert f1(score_joined(references, traces, id_from="filename")) == 1
    with pytest.raises(UnreadableInput, match="or --id-from filename"):
        score_joined(references, traces)
    # The file says which case it is of, unless a path of the user does.
    renamed = score_joined(references, tmp_path / "with_id.json", id_from="filename")
    assert renamed.without_reference.count == 1
    mapped = score_joined(
        references, tmp_path / "with_id.json", id_from="filename", fields={"id": "$.id"}
    )
    assert mapped.without_reference.count == 0


def test_whose_calls_count_can_be_chosen_for_all_cases(write: Any) -> None:
    user = {"name": "g", "arguments": {}, "caller": "user"}
    agent = {"name": "f", "arguments": {}}
    file = write("cases.jsonl", {"id": "a", "expected": [agent, user], "actual": [agent]})
    reference = write("references.jsonl", {"id": "a", "expected": [agent, user]})
    trace = write("traces.jsonl", {"id": "a", "actual": [agent]})

    assert f1(score_files(file)) != 1
    assert f1(score_files(file, callers=["agent"])) == 1
    assert f1(score_joined(reference, trace)) != 1
    assert f1(score_joined(reference, trace, callers=["agent"])) == 1
    with pytest.raises(InvalidSettings, match="callers: unknown value 'me'"):
        score_files(file, callers=["me"])  # type: ignore[list-item]


def test_no_call_of_a_plain_file_is_one_of_the_user(write: Any) -> None:
    calls = [{"name": "f", "arguments": {}}]
    file = write("cases.jsonl", {"id": "a", "expected": calls, "actual": []})

    assert f1(score_files(file)) == 0
    assert f1(score_files(file, callers=["user"])) == 1


def test_a_folder_or_an_archive_has_one_run_per_file(write: Any, tmp_path: Path) -> None:
    references = write(
        "references.jsonl", {"id": "a", "expected": ["f"]}, {"id": "b", "expected": ["g"]}
    )
    folder = tmp_path / "runs"
    folder.mkdir()
    write("runs/a.json", chat(call("f")))
    write("runs/b.jsonl", *chat(call("g")))  # its lines are not joined with those of others
    write("runs/c.jsonl", *chat(call("h")))
    archive = shutil.make_archive(str(tmp_path / "runs"), "gztar", folder)

    for runs in (folder, archive):
        results = score_joined(references, runs, id_from="filename")
        assert (f1(results), results.without_reference.names) == (1, ("c",))


def test_cases_that_name_themselves_keep_their_ids(write: Any) -> None:
    file = write(
        "x.jsonl", {"id": "a", "expected": ["f"], "actual": []}, {"expected": [], "actual": []}
    )
    inputs = input_options_for(read_options=ReadOptions(id_from="filename"))

    ids = [
        found[1].id for found in read_cases(str(file), CASES, inputs) if isinstance(found, tuple)
    ]

    assert ids == ["a", "x"]
    with pytest.raises(InvalidSettings, match="id_from: unknown value"):
        ReadOptions(id_from="folder")  # type: ignore[arg-type]


def test_cases_and_traces_may_be_in_pages_and_logs(write: Any) -> None:
    case = {"id": "a", "expected": ["f"], "actual": chat(call("f"))}
    page = write("page.json", {"data": [case, {**case, "id": "b"}], "total": 2})
    log = write("x.log")
    log.write_text(f'INFO started\nINFO {msgspec.json.encode(case).decode()}\nINFO {{"x": 1}}\n')

    assert score_files(page).summary.scored == 2
    assert score_files(log).summary.scored == 1
    references = write("references.json", {"id": "a", "expected": ["f"]})
    traces = write("traces.json", {"results": [{"run": "a", "messages": chat(call("f"))}]})
    assert f1(score_joined(references, traces, fields={"id": "$.run"})) == 1
    log.write_text('INFO {"x": 1}\n')
    with pytest.raises(UnreadableInput, match="no value in this log is a trace"):
        score_files(log)
    lines = [
        {"log": text + "\n", "stream": "s"} for text in ("no", msgspec.json.encode(case).decode())
    ]
    assert score_files(write("docker.log", *lines)).summary.scored == 1


def test_a_path_that_leads_nowhere_in_any_record_is_a_warning(write: Any) -> None:
    references = write("references.jsonl", {"id": "a", "expected": ["f"]})
    traces = write("traces.jsonl", {"run": "a", "id": "x", "messages": chat(call("f"))})

    # One side may have its id elsewhere.
    assert f1(score_joined(references, traces, fields={"id": "$.run"})) == 1
    with pytest.warns(
        UserWarning, match=r"the path '\$\.runs' of 'id' leads nowhere in any record"
    ):
        score_joined(references, traces, fields={"id": "$.runs"})
    case = write("case.json", {"id": "a", "expected": ["f"], "actual": ["f"]})
    with pytest.warns(UserWarning, match="of 'id' leads nowhere"):
        assert f1(score_files(case, fields={"id": "$.task"})) == 1
