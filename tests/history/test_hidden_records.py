"""Records without secrets."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from callscore.core.results import MetricValue
from callscore.errors import UnusableStore
from callscore.hiding.hider import contains_marker, hide_text
from callscore.hiding.markers import MARKER, Markers, new_key
from callscore.history.hidden_records import RecordHider
from callscore.history.opening import open_for_reading, open_store
from callscore.history.records import (
    AnswerRecord,
    EvaluationRecord,
    ResultRecord,
    RunRecord,
    asked_digest,
    expectation_digest,
)
from callscore.history.writer import FallbackStore, RunWriter

if TYPE_CHECKING:
    from pathlib import Path

KEY = "a-key-of-mine"
MARKERS = Markers(new_key())


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_API_KEY", KEY)


def result(**fields: Any) -> ResultRecord:
    payload = {"input": KEY, "expected": [{"name": "f", "arguments": {"k": KEY}}]}
    known: dict[str, Any] = {
        "payload": payload,
        "expectation": expectation_digest(payload),
        "asked": asked_digest(payload),
        "answer": f'{{"k": "{KEY}"}}',
        "calls": [{"name": "f", "arguments": {"k": KEY}}],
        "comparison": {"differences": [{"reason": KEY}]},
        "tools": {KEY: (1, 0, 0, 0, 0)},
    }
    return ResultRecord(run="r", evaluation=0, case="a", status="scored", **{**known, **fields})


def test_every_field_of_a_result_is_hidden_and_its_digests_are_those_of_what_is_kept() -> None:
    before = result(
        failure=("raised", f"no {KEY}"), values=(MetricValue("m", 1.0, KEY), MetricValue("n"))
    )

    found = RecordHider(lambda: MARKERS, is_live=True).record(before)

    assert KEY not in str(found)
    assert found.expectation == expectation_digest(found.payload) != before.expectation
    assert found.asked == asked_digest(found.payload) != before.asked
    assert found.values[0].name == "m"


def test_digests_that_are_unknown_stay_so() -> None:
    found = RecordHider(lambda: MARKERS, is_live=True).record(result(expectation="", asked=""))

    assert (found.expectation, found.asked) == ("", "")


def test_a_record_without_secrets_is_the_same() -> None:
    hide = RecordHider(lambda: MARKERS, is_live=True).record
    records: list[Any] = [
        ResultRecord(run="r", evaluation=0, case="a", status="scored", payload={"input": "hi"}),
        AnswerRecord(question="q", source="s", trial=1, answer=["hi"]),
        EvaluationRecord(run="r", number=0, name=KEY, tools=[{"name": "f"}]),
    ]

    assert all(hide(record) is record for record in records)


def test_answers_and_tools_are_hidden_after_the_environment_has_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hider = RecordHider(lambda: MARKERS, is_live=True)
    monkeypatch.setenv("OTHER_KEY", "set-by-the-agent")
    hider.refresh()

    answer = hider.record(
        AnswerRecord(question="q", source="", trial=1, answer=["set-by-the-agent"])
    )
    evaluation = hider.record(
        EvaluationRecord(run="r", number=0, name="e", tools=[{"default": KEY}])
    )

    assert contains_marker(answer.answer)
    assert contains_marker(evaluation.tools)


def test_markers_of_stored_records_stay_and_messages_are_not_hidden_twice() -> None:
    marker = MARKERS.of(KEY, KEY)
    stored = result(payload={"input": marker}, failure=("raised", marker))

    kept = RecordHider(lambda: MARKERS, is_live=False).record(stored)
    live = RecordHider(lambda: MARKERS, is_live=True).record(stored)

    assert kept.payload == {"input": marker}
    assert live.payload["input"] != marker
    assert kept.failure == live.failure == ("raised", marker)


def test_a_history_has_one_key_for_all_processes(tmp_path: Path) -> None:
    with open_store(tmp_path / "history.db") as store:
        first = store.markers().of(KEY, KEY)
    with open_store(tmp_path / "history.db") as store:
        assert store.markers().of(KEY, KEY) == first
    with open_store(tmp_path / "other.db") as store:
        assert store.markers().of(KEY, KEY) != first


@pytest.mark.parametrize(
    "damage", ["UPDATE hiding_key SET key = checksum", "DELETE FROM hiding_key"]
)
def test_nothing_is_saved_with_another_key(tmp_path: Path, damage: str) -> None:
    with open_store(tmp_path / "history.db"):
        pass
    with closing(sqlite3.connect(tmp_path / "history.db")) as connection, connection:
        connection.execute(damage)
    connection.close()

    with pytest.raises(UnusableStore):
        open_store(tmp_path / "history.db")
    with open_for_reading(tmp_path / "history.db") as store:
        with pytest.raises(UnusableStore):
            store.markers()
        with pytest.raises(UnusableStore):
            RunWriter(store, RunRecord(id="r", command="score", started_at=0.0))
        assert MARKER.fullmatch(hide_text(KEY))  # messages never show it
        assert hide_text(KEY) == hide_text(KEY)


def test_the_file_beside_a_history_has_no_secrets(tmp_path: Path) -> None:
    store = FallbackStore(tmp_path / "history.db")
    writer = RunWriter(store, RunRecord(id="r", command="score", started_at=0.0))
    writer.add_evaluation(EvaluationRecord(run="r", number=0, name="e", tools=[KEY]))
    writer.put(result())
    writer.finish("finished", {}, {})

    (file,) = store.files
    text = file.read_text(encoding="utf-8")
    assert KEY not in text
    assert len(set(MARKER.findall(text))) == 1


@pytest.mark.parametrize(
    ("value", "is_found"),
    [
        ({"a": [1, None, "x [hidden 0123456789ab] y"]}, True),
        ({"[hidden 0123456789ab]": 1}, True),
        (["[hidden 0123456789ab]", 10**40], True),  # not encoded
        (["[hidden 0123456789ab]", "\ud800"], True),
        (["[hidden ]", "hidden", 10**40], False),
        ({"a": "[hidden values"}, False),
    ],
)
def test_a_marker_is_found_wherever_it_is(value: Any, is_found: bool) -> None:
    assert contains_marker(value) == is_found
