from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.advising.planted import case_records

import callscore
from callscore import Case
from callscore.advising.labelled_runs import LabelledReader

pytestmark = pytest.mark.slow


def _write(path: Path, records: list[Any]) -> str:
    path.write_bytes(b"".join(msgspec.json.encode(record) + b"\n" for record in records))
    return str(path)


def _case(record: dict[str, Any], **other: Any) -> dict[str, Any]:
    return {**{key: value for key, value in record.items() if key != "success"}, **other}


def test_labels_come_from_the_record_its_metadata_or_beside_it() -> None:
    records = case_records("argument", tasks=20)
    labels = [record["success"] for record in records]
    in_metadata = [
        _case(record, metadata={"success": label})
        for record, label in zip(records, labels, strict=True)
    ]
    expected = callscore.advise(records).to_dict()

    assert callscore.advise(in_metadata).to_dict() == expected
    assert callscore.advise([_case(each) for each in records], labels=labels).to_dict() == expected
    values = [
        Case(
            id=each["id"],
            trial=each["trial"],
            expected=each["expected"],
            actual=each["actual"],
            metadata={"ok": label},
        )
        for each, label in zip(records, labels, strict=True)
    ]
    assert callscore.advise(values, labels="ok").to_dict() == expected


def test_files_are_read_as_for_scoring(tmp_path: Path) -> None:
    records = case_records("argument", tasks=20)
    first = _write(tmp_path / "a.jsonl", records[:30])
    packed = tmp_path / "b.jsonl.gz"
    packed.write_bytes(gzip.compress(Path(_write(tmp_path / "c.jsonl", records[30:])).read_bytes()))
    Path(tmp_path / "c.jsonl").unlink()

    from_files = callscore.advise([first, packed])

    assert from_files.recommended == callscore.advise(records).recommended
    assert callscore.advise(str(tmp_path)).runs == 60


def test_runs_without_a_label_and_without_a_side_are_counted() -> None:
    records = case_records("plain")
    for record in records[:3]:
        del record["success"]
    records[3]["success"] = None
    del records[4]["actual"]

    advice = callscore.advise(records)

    assert advice.unlabelled.count == 4
    assert advice.unlabelled.names[0] == "task0"
    assert advice.unscorable.count == 1
    assert advice.runs == len(records) - 5


def test_a_record_with_unread_calls_is_noted_in_the_advice() -> None:
    records = case_records("plain")
    spoiled = {"role": "assistant", "toolcalls": [{"id": "1", "name": "f"}]}
    records[0]["actual"] = {"choices": [{"message": spoiled}]}

    advice = callscore.advise(records)

    assert advice.unread.count == 1
    assert advice.unread.names[0].startswith("cases[0]: ")
    assert "1 record with something that looks like calls" in str(advice)


def test_an_unclear_label_is_refused_where_it_is(tmp_path: Path) -> None:
    records = case_records("plain")
    records[6]["success"] = "perhaps"
    file = _write(tmp_path / "runs.jsonl", records)

    with pytest.raises(callscore.UnreadableInput, match=r"runs\.jsonl:7: the label must be"):
        callscore.advise(file)

    reader = LabelledReader(label="success", skip_bad=True)
    reader.read_files([file])
    assert reader.found().skipped.count == 1


def test_a_number_may_be_a_success_from_a_limit_on() -> None:
    records = case_records("plain")
    ratings = [5 if record["success"] else 2 for record in records]

    advice = callscore.advise(records, labels=ratings, label_at_least=4)

    assert advice.successes == sum(record["success"] for record in records)
    with pytest.raises(callscore.UnreadableInput, match="succeeded as label_at_least") as raised:
        callscore.advise(records, labels=ratings)
    assert "--" not in str(raised.value)
    with pytest.raises(callscore.InvalidSettings, match="'4' is not a number"):
        callscore.advise(records, label_at_least="4")  # type: ignore[arg-type]  # a mistake


def test_a_label_that_no_case_has_is_named() -> None:
    records = case_records("plain")

    with pytest.raises(callscore.UnreadableInput, match=r"'sucess'\. Did you mean 'success'\?"):
        callscore.advise(records, labels="sucess")


def _tau_bench(record: dict[str, Any]) -> dict[str, Any]:
    def called(call: dict[str, Any], number: int) -> dict[str, Any]:
        arguments = msgspec.json.encode(call["arguments"]).decode()
        return {"id": f"c{number}", "function": {"name": call["name"], "arguments": arguments}}

    calls = [called(call, number) for number, call in enumerate(record["actual"])]
    actions = [{"name": call["name"], "kwargs": call["arguments"]} for call in record["expected"]]
    return {
        "task_id": record["id"],
        "trial": record["trial"],
        "reward": float(record["success"]),
        "info": {"task": {"instruction": "", "actions": actions}},
        "traj": [{"role": "assistant", "tool_calls": calls}],
    }


def test_labels_are_found_in_the_files_of_benchmarks(tmp_path: Path) -> None:
    records = case_records("argument", tasks=20)
    raw = tmp_path / "results.json"
    raw.write_bytes(msgspec.json.encode([_tau_bench(record) for record in records]))
    lines = _write(tmp_path / "results.jsonl", [_tau_bench(record) for record in records])

    expected = callscore.advise(records).recommended

    assert callscore.advise(raw, labels="reward").recommended == expected
    assert callscore.advise(lines, labels="reward").recommended == expected
