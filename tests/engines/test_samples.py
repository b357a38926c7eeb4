"""Samples of a log: which records, as which lines, and what their scores say about the log."""

from __future__ import annotations

import gzip
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.commands import run

from callscore import score_files

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).parents[2]
AIRLINE = ROOT / "src/callscore/data/airline-gpt-4o.jsonl.gz"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def sampled(*arguments: object, n: int, folder: Path) -> list[bytes]:
    """The lines of a sample."""
    assert run("sample", *arguments, "-n", n, "-o", folder / "sample.jsonl", "--force") == 0
    return (folder / "sample.jsonl").read_bytes().split(b"\n")[:-1]


def ids(lines: list[bytes]) -> list[str]:
    return [msgspec.json.decode(line)["id"] for line in lines]


def case(number: int, tool: str = "f", *, passes: bool = True, **others: Any) -> dict[str, Any]:
    call = {"name": tool, "arguments": {"n": number}}
    made = {"name": tool, "arguments": {"n": number if passes else -1}}
    return {"id": f"case-{number}", "expected": [call], "actual": [made], **others}


def write(path: Path, records: Sequence[Any]) -> Path:
    path.write_bytes(msgspec.json.Encoder().encode_lines(records))
    return path


def test_lines_stay_as_they_are_and_in_their_order(folder: Path) -> None:
    lines = [
        b'{"id":"a", "expected": ["f"],"actual": [ ] }',
        '{"actual": ["f"], "id": "b", "input": "Привет\\u0021", "expected": []}'.encode(),
        b'  {"id": 3, "expected": ["f"], "actual": ["f"], "unknown": 1e3}\r',
    ]
    (folder / "log.jsonl").write_bytes(b"\n\n".join(lines))

    assert sampled("log.jsonl", n=3, folder=folder) == lines


@given(st.permutations(range(60)), st.integers(1, 4), st.integers(1, 60), st.sampled_from(" t"))
def test_the_order_and_the_number_of_files_do_not_matter(
    tmp_path_factory: pytest.TempPathFactory, order: list[int], parts: int, n: int, by: str
) -> None:
    folder = tmp_path_factory.mktemp("log")
    records = [case(number, "fgh"[number % 7 % 3], trial=t) for number in order for t in (1, 2)]
    ordered = sorted(records, key=lambda each: (each["id"], each["trial"]))
    whole = write(folder / "whole.jsonl", ordered)
    files = [write(folder / f"{part}.jsonl", records[part::parts]) for part in range(parts)]
    strata = ["--by", "tool"] if by.strip() else []

    found = sampled(whole, *strata, n=n, folder=folder)
    again = sampled(*files, *strata, n=n, folder=folder)
    more = sampled(whole, *strata, n=n + 1, folder=folder)

    assert sorted(found) == sorted(again)
    assert len(found) == 2 * len(set(ids(found))) == 2 * n  # all trials of a case, or none
    assert set(found) <= set(more)


def test_another_seed_gives_another_sample(folder: Path) -> None:
    log = write(folder / "log.jsonl", [case(number) for number in range(100)])

    one, same, other = [sampled(log, "--seed", seed, n=10, folder=folder) for seed in (1, 1, 2)]

    assert one == same != other


def test_rare_strata_are_taken_whole_and_the_others_share_the_rest(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tools = ["search"] * 60 + ["book"] * 30 + ["refund"] * 3
    log = write(folder / "log.jsonl", [case(n, tool, model=tool) for n, tool in enumerate(tools)])

    for by in ("tool", "$.model"):
        found = sampled(log, "--by", by, n=21, folder=folder)

        names = [msgspec.json.decode(line)["model"] for line in found]
        assert [names.count(name) for name in ("search", "book", "refund")] == [9, 9, 3]
        table = [line.split() for line in capsys.readouterr().err.splitlines()[-3:]]
        assert table == [["search", "60", "9"], ["book", "30", "9"], ["refund", "3", "3"]]


def test_cases_without_an_id_are_told_apart_by_their_place(folder: Path) -> None:
    same = [{"expected": ["f"], "actual": ["f"]}] * 50
    files = [write(folder / f"{name}.jsonl", same) for name in "ab"]

    assert len(sampled(*files, n=10, folder=folder)) == 10


def test_all_trials_of_a_real_case_are_taken_together(folder: Path) -> None:
    found = ids(sampled(AIRLINE, "--by", "tool", n=20, folder=folder))

    assert len(found) == 80
    assert {found.count(name) for name in found} == {4}


@pytest.mark.slow
def test_every_format_has_the_same_calls_in_the_sample_as_before(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def calls_in(path: Path | str) -> list[Any] | None:
        capsys.readouterr()
        if run("extract", path, "--skip-bad") != 0:
            return None
        found = map(msgspec.json.decode, capsys.readouterr().out.splitlines())
        return [(each["name"], each["arguments"]) for each in found]

    folders = [ROOT / "tests/samples/formats", ROOT / "tests/samples/files"]
    tried, wrong = 0, []
    for file in [file for each in folders for file in sorted(each.rglob("*.*"))]:
        before = calls_in(file)
        options = ["-n", 9999, "-o", "s.jsonl", "--force", "--skip-bad"]
        if before and run("sample", file, *options) == 0:
            tried += 1
            if calls_in(folder / "s.jsonl") != before:
                wrong.append(file.name)

    assert tried > 300
    assert wrong == []


@pytest.mark.parametrize("suffix", [".json", ".jsonl.gz", ".csv"])
def test_records_of_other_files_become_lines(folder: Path, suffix: str) -> None:
    records = [case(number, passes=number % 3 > 0) for number in range(30)]
    log = folder / f"log{suffix}"
    text = msgspec.json.encode(records)
    if suffix == ".csv":
        cells = [
            ",".join(
                '"' + msgspec.json.encode(each[name]).decode().replace('"', '""') + '"'
                for name in each
            )
            for each in records
        ]
        text = "\n".join(["id,expected,actual", *cells]).encode()
    log.write_bytes(
        gzip.compress(msgspec.json.Encoder().encode_lines(records)) if ".gz" in suffix else text
    )

    lines = sampled(log, n=100, folder=folder)

    assert [msgspec.json.decode(line)["id"] for line in lines] == [each["id"] for each in records]
    assert score_files(folder / "sample.jsonl").summary == score_files(log).summary


# --- what a sample says about the log -------------------------------------------------------------


def estimated(
    log: Path, *options: object, n: int, capsys: pytest.CaptureFixture[str]
) -> dict[str, Any]:
    capsys.readouterr()
    run("score", log, "--sample", n, "--json", *options)
    found: dict[str, Any] = msgspec.json.decode(capsys.readouterr().out)
    return found


def test_a_sample_of_everything_has_the_results_of_the_log(
    capsys: pytest.CaptureFixture[str],
) -> None:
    whole = score_files(AIRLINE)

    for by in ([], ["--by", "tool"]):
        found = estimated(AIRLINE, *by, n=50, capsys=capsys)

        sample, macro_f1 = found["sample"], whole.summary.macro_f1
        assert found["totals"] == whole.to_dict()["totals"]
        assert sample["macro_f1"] == pytest.approx(macro_f1)
        assert sample["macro_f1_interval"] == pytest.approx([macro_f1, macro_f1])
        assert (sample["cases"], sample["sampled_cases"]) == (50, 50)


def test_the_estimate_is_about_the_log_and_not_about_the_sample(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    common = [case(number, "common") for number in range(5_000)]
    rare = [case(number, "rare", passes=False) for number in range(5_000, 5_100)]
    log = write(folder / "log.jsonl", common + rare)

    found = estimated(log, "--by", "tool", n=200, capsys=capsys)

    low, high = found["sample"]["macro_f1_interval"]
    assert found["totals"]["macro"]["f1"] == 0.5
    assert found["sample"]["macro_f1"] == pytest.approx(50 / 51)
    assert low < 50 / 51 <= high


@pytest.mark.slow
def test_an_interval_mostly_holds_the_score_of_the_log(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = [
        case(number, "fgh"[number % 7 % 3], passes=number % 11 > 0, trial=trial)
        for number in range(800)
        for trial in range(1 + number % 3)
    ]
    log = write(folder / "log.jsonl", records)
    truth = score_files(log).summary.macro_f1 or math.nan

    found = [
        estimated(log, "--by", "tool", "--seed", seed, n=90, capsys=capsys)["sample"]
        for seed in range(40)
    ]

    held = [low <= truth <= high for low, high in (each["macro_f1_interval"] for each in found)]
    assert sum(held) >= 35


def test_cases_without_an_answer_count_as_zero_and_those_without_a_reference_not(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = [case(1), {"id": "b", "expected": ["f"]}]
    records += [{"id": f"x{number}", "actual": ["f"]} for number in range(20)]
    log = write(folder / "log.jsonl", records)

    found = estimated(log, n=10, capsys=capsys)

    assert (found["sample"]["macro_f1"], found["sample"]["cases"]) == (0.5, 2)
    assert (found["not_run"]["names"], found["not_scored"]["count"]) == (["b"], 20)
