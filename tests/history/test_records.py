"""Records become rows and come back as they were."""

from __future__ import annotations

import random
import zlib
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.history.made_up import a_result, a_run, an_answer, an_evaluation

from callscore.core.results import MetricValue, Usage
from callscore.history.records import (
    add_payload,
    asked_digest,
    calls_digest,
    clean_text,
    compressed,
    digest_of,
    expectation_digest,
    json_bytes,
    json_text,
    pack_digest,
    result_values,
    settings_digest,
    unpack,
    unpack_digest,
)
from callscore.history.tables import RESULTS

if TYPE_CHECKING:
    from callscore.history.records import AnswerRecord, EvaluationRecord, ResultRecord, RunRecord
    from callscore.history.store import Store

RUN = a_run().id


@pytest.mark.parametrize(
    "run",
    [
        a_run(),
        a_run(
            status="interrupted",
            finished_at=1_794_768_300.25,
            name="nightly, Погода",
            arguments={"paths": ["evals"], "trials": 3},
            versions={"callscore": "1.0", "python": "3.11.7"},
            git_commit="ab" * 20,
            git_dirty=True,
            parent="20261114-000000-bbbb",
            totals={"passed": 3, "f1": 0.5},
        ),
        a_run(git_dirty=False),
    ],
)
def test_a_run_comes_back_as_it_was(store: Store, run: RunRecord) -> None:
    store.begin(run)

    assert store.find(run.id) == run


@pytest.mark.parametrize(
    "record",
    [
        an_evaluation(RUN),
        an_evaluation(
            RUN,
            3,
            variant="gpt-4.1",
            place="evals/eval_assistant.py:12",
            settings={"mode": "flexible", "arguments": {}},
            scorers=("accuracy", "polite"),
            fail_under={"accuracy": 0.9},
            tools=[{"name": "search", "parameters": {"type": "object"}}],
            summary={"passed": 2},
        ),
    ],
)
def test_an_evaluation_comes_back_as_it_was(store: Store, record: EvaluationRecord) -> None:
    store.begin(a_run())
    store.add_evaluation(record)

    assert store.evaluations(RUN) == [record]


@pytest.mark.parametrize(
    "record",
    [
        a_result(RUN),
        a_result(
            RUN,
            status="error",
            answer=None,
            calls=None,
            f1=None,
            counts=(),
            passed=None,
            values=(),
            failure=("timeout", "no answer within 60 s"),
            attempts=3,
        ),
        a_result(RUN, status="not_scored", f1=None, counts=(), calls=[], payload={}, question=""),
        a_result(RUN, trial=7, evaluation=2, is_reused=True, passed=False, usage=Usage()),
        a_result(RUN, values=(MetricValue("polite", 0.25, "a little"),)),
        a_result(RUN, values=(MetricValue("polite", None, "it raises", is_broken=True),)),
        a_result(
            RUN,
            expectation="ab" * 16,
            asked="0" * 32,
            faults=0,
            tools={"search": (1, 0, 2, 0, 0), "погода \x00": (0, 0, 0, 0, 1)},
            comparison={"pairs": [[0, 1, False]], "differences": [{"path": "$.город"}]},
        ),
        a_result(RUN, tools={}, comparison={}, faults=3),
        a_result(RUN, answer="only text, «и ещё», \x1b[31m and \x00"),
        a_result(RUN, answer={"deep": [{"a": [1, 2.5, None, True, 10**30]}]}),
    ],
)
def test_a_result_comes_back_as_it_was(store: Store, record: ResultRecord) -> None:
    store.begin(a_run())
    store.save_results([record])

    assert list(store.results(RUN)) == [record]


@pytest.mark.parametrize(
    "record",
    [
        an_answer(RUN),
        an_answer(),
        an_answer(source="ab" * 16, trial=3, attempts=4, answer=None, question="not a digest"),
    ],
)
def test_an_answer_comes_back_as_it_was(store: Store, record: AnswerRecord) -> None:
    store.begin(a_run())
    store.save_results([record])

    assert store.answer(record.question, record.source, record.trial) == record


@pytest.mark.parametrize("hostile", ["\x00", "\ud800", "'; DROP TABLE runs; --", "\u202e"])
def test_a_hostile_name_is_only_a_name(store: Store, hostile: str) -> None:
    store.begin(a_run(name=hostile))
    store.save_results([a_result(RUN, hostile, failure=("raised", hostile))])

    [result] = store.results(RUN)

    assert result.case.isprintable() or result.case == hostile
    assert store.find(hostile).id == RUN


def test_a_server_that_counts_without_end_stops_nothing(store: Store) -> None:
    store.begin(a_run())
    store.save_results([a_result(RUN, usage=Usage(1, 10**40, 2))])

    [result] = store.results(RUN)

    assert result.usage == Usage(1, 2**31 - 1, 2)


def _row(record: ResultRecord) -> dict[str, Any]:
    # Without the run and the checksum.
    return dict(zip(RESULTS.written[1:-1], result_values(record, {}), strict=True))


def test_the_tags_of_a_case_have_a_column() -> None:
    row = _row(a_result(RUN))

    assert row["tags"] == '["smoke"]'


def test_nothing_needs_no_payload() -> None:
    bodies: dict[bytes, bytes] = {}

    assert add_payload(None, bodies) is None
    assert not bodies


def test_a_digest_that_somebody_made_up_is_known_by_its_own(store: Store) -> None:
    store.begin(a_run())
    store.save_results([a_result(RUN, expectation="no digest \ud800", faults=10**12)])

    [result] = store.results(RUN)

    assert len(bytes.fromhex(result.expectation)) == 16
    assert (result.asked, result.faults) == ("", 2**31 - 1)


def test_what_was_called_has_a_digest_without_the_ids_of_the_calls() -> None:
    rows = [
        _row(a_result(RUN, calls=[{"id": each, "name": "search", "arguments": {}}]))
        for each in ("call_1", "call_2")
    ]

    assert rows[0]["made"] == rows[1]["made"] != _row(a_result(RUN))["made"]
    assert _row(a_result(RUN, calls=None))["made"] is None


# Digests by which two runs are compared.

PAYLOAD: dict[str, Any] = {
    "input": "hi",
    "tools": [{"name": "f"}],
    "tags": ["slow"],
    "metadata": {"by": "me"},
    "expected": [{"name": "f", "arguments": {"a": 1, "b": 2}}],
}


def test_digests_are_what_they_were() -> None:
    """Histories are full of them: a digest that changes would make every kept answer unknown."""
    assert expectation_digest(PAYLOAD) == "508944e68bc9d2bd75dc6ce1bb384a09"
    assert asked_digest(PAYLOAD) == "380aafe5fcebe2abcd0a41143504fca0"
    made = [{"name": "f", "arguments": {"a": 1}}]
    assert calls_digest(made) == "7a749b8fa68d7b7648867eaf47beaecb"
    assert settings_digest({"mode": "strict"}, ["accuracy"]) == "fa657ca0a40eea31485924444aa69489"


def test_an_expectation_is_known_by_what_it_says_and_not_by_the_order_of_keys() -> None:
    turned = [{"arguments": {"b": 2, "a": 1}, "name": "f"}]
    other = [{"name": "f", "arguments": {"a": 1, "b": 3}}]

    digest = expectation_digest(PAYLOAD)

    assert len(bytes.fromhex(digest)) == 16
    assert expectation_digest({"expected": turned}) == digest
    assert expectation_digest({**PAYLOAD, "expected": other}) != digest


def test_to_expect_no_calls_is_not_to_expect_nothing() -> None:
    assert expectation_digest({}) == ""
    assert expectation_digest({"expected": None}) == ""
    assert expectation_digest({"expected": []}) != ""


def test_what_is_asked_is_all_but_what_is_expected_and_noted() -> None:
    digest = asked_digest(PAYLOAD)

    assert asked_digest({"tools": [{"name": "f"}], "input": "hi"}) == digest
    assert asked_digest({**PAYLOAD, "input": "ho"}) != digest
    assert asked_digest({**PAYLOAD, "tools": []}) != digest


def test_calls_are_known_by_names_and_arguments_alone() -> None:
    made = [{"name": "f", "arguments": {"a": 1}, "id": "call_1", "step": 0, "result": "ok"}]
    again = [{"name": "f", "arguments": {"a": 1}, "id": "call_2", "step": 3, "result": "no"}]

    assert calls_digest(made) == calls_digest(again)
    assert calls_digest(made) != calls_digest([{"name": "f", "arguments": {"a": 2}}])
    assert calls_digest([{"name": "f", "raw": "{"}]) != calls_digest([{"name": "f", "raw": "["}])
    assert calls_digest([]) != calls_digest(None) == ""


def test_settings_are_known_with_their_scorers() -> None:
    digest = settings_digest({"mode": "strict", "order": "any"}, ["accuracy"])

    assert settings_digest({"order": "any", "mode": "strict"}, ("accuracy",)) == digest
    assert settings_digest({"mode": "strict", "order": "any"}, ["precision"]) != digest
    assert settings_digest({"mode": "flexible", "order": "any"}, ["accuracy"]) != digest


def test_what_json_does_not_know_has_a_digest_all_the_same() -> None:
    assert calls_digest([{"name": "f", "arguments": {"n": 2**70}}])
    assert calls_digest([{"name": "f", "arguments": {"text": "\ud800"}}])


# Values as bytes: what goes in comes out, and what is long becomes short.

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner)
    ),
    max_leaves=20,
)


def unpacked(body: bytes) -> Any:
    text = zlib.decompress(body) if body[:1] == b"x" else body
    return unpack(body, digest_of(text))


@given(JSON)
def test_plain_data_comes_back_as_it_was(value: Any) -> None:
    assert unpacked(compressed(json_bytes(value))) == value


def test_a_long_text_is_kept_short() -> None:
    body = json_bytes(["the same again"] * 1_000)

    assert len(compressed(body)) < len(body) / 10
    assert unpacked(compressed(body)) == ["the same again"] * 1_000


def test_a_short_text_is_not_compressed() -> None:
    body = json_bytes(["the same again"] * 5)

    assert compressed(body) is body


def test_a_text_that_gains_nothing_is_not_compressed() -> None:
    noise = random.Random(6).randbytes(1_000)

    assert compressed(noise) is noise


def test_half_of_a_character_and_strange_objects_become_text() -> None:
    assert unpacked(json_bytes({"a": "\ud800"})) == {"a": "\\ud800"}
    assert unpacked(json_bytes([complex(1, 2)])) == ["(1+2j)"]
    assert unpacked(json_bytes(date(2026, 11, 15))) == "2026-11-15"


def test_what_is_nested_without_end_is_kept_as_far_as_it_goes() -> None:
    nested: Any = []
    for _ in range(5_000):
        nested = [nested]

    assert len(json_bytes(nested)) < 100_000


@pytest.mark.parametrize("empty", [{}, [], (), None, ""])
def test_what_is_empty_takes_no_room(empty: object) -> None:
    assert json_text(empty) is None


def test_a_digest_tells_texts_apart() -> None:
    assert digest_of(b"1") != digest_of(b"2")
    assert digest_of(b"1") == digest_of(b"1")


def test_a_hexadecimal_digest_takes_half_the_room() -> None:
    assert len(pack_digest("ab" * 16)) == 17


@given(st.text(st.characters(exclude_categories=["Cs"])) | st.binary().map(bytes.hex))
def test_a_digest_comes_back_as_it_was(text: str) -> None:
    assert unpack_digest(pack_digest(text)) == text


@pytest.mark.parametrize("text", ["AB", "a b", "ab ", "abc", ""])
def test_what_only_looks_like_a_digest_comes_back_as_it_was(text: str) -> None:
    assert unpack_digest(pack_digest(text)) == text


def test_a_text_has_no_characters_that_a_database_refuses() -> None:
    assert clean_text("a\x00b\ud800c") == "a\\u0000b\\ud800c"
    assert clean_text("Погода 🌦") == "Погода 🌦"
