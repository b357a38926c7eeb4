"""The numbers of a run are the same in every command, format and page, in Python and in what is exported.

Cases have several trials, not all the same number of them, and some answers are missing. A format that a
command gets has to join `READERS`, or the test fails.
"""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import fromstring

import click
import msgspec
import pytest
from tests.snapshots.opened_html import html_text
from tests.tables.commands import Folder

import callscore
from callscore.cli.program import import_command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.web.conftest import Browser

    Numbers = dict[str, Any]
    Reader = Callable[[bytes], Iterator[tuple[str, Any]]]

F = [{"name": "f", "arguments": {"x": 1}}]
WRONG = [{"name": "f", "arguments": {"x": 2}}]
CASES = [
    {"id": "a", "trial": 1, "expected": F, "actual": F},
    {"id": "a", "trial": 2, "expected": F, "actual": F},
    {"id": "a", "trial": 3, "expected": F, "actual": WRONG},
    {"id": "b", "trial": 1, "expected": [*F, "g"], "actual": F},
    {"id": "b", "trial": 2, "expected": [*F, "g"]},
    {"id": "c", "trial": 1, "expected": F, "actual": F},
    {"id": "d", "trial": 1, "expected": F},
    {"id": "e", "trial": 1, "expected": F, "actual": []},
]
# Eight trials: 1, 1, 0, 2/3, no answer, 1, no answer, 0.
# Each case with the mean of its trials, as in comparisons: 2/3, 0, 1, 0, 0.
FILE = {
    "cases": 1 / 3,
    "f1": (3 + 2 / 3) / 8,
    "passed": 3,
    "trials": 8,
    "errors": 2,
    "exact": 3,
    "actual": 5,
}
AGENT = """import callscore
from callscore import Case

F = [{"name": "f", "arguments": {"x": 1}}]


@callscore.evaluation(cases=[Case(id=name, expected=F) for name in ("good", "shaky", "down")])
def agent(case):
    with open("asked.log", "a+") as asked:
        asked.seek(0)
        number = asked.read().split().count(case.id)
        print(case.id, file=asked)
    if case.id == "down" or (case.id == "shaky" and number % 3 == 2):
        raise ValueError("no answer")
    return F if case.id == "good" or number % 3 == 0 else []
"""
# Nine trials: three right, one right, one wrong and an error, three errors.
RUN = {"f1": 4 / 9, "passed": 4, "trials": 9, "errors": 4, "exact": 4, "actual": 4}


def _json(text: bytes) -> Any:
    return msgspec.json.decode(text)


def _of_results(found: Any) -> Iterator[tuple[str, Any]]:
    totals = found["totals"]
    yield from [("f1", totals["macro"]["f1"]), ("passed", totals["passed"])]
    yield from [("trials", totals["cases"]), ("exact", totals["exact"])]
    yield "actual", found["calls"]["actual"]


def _of_cases(cases: list[Any]) -> Iterator[tuple[str, Any]]:
    yield "trials", len(cases)
    yield "f1", sum([case["score"] for case in cases]) / len(cases)
    yield "passed", sum([case["passed"] for case in cases])
    yield "errors", sum([case.get("status") == "no_answer" for case in cases])


def _score_json(text: bytes) -> Iterator[tuple[str, Any]]:
    found = _json(text)
    yield from _of_results(found)
    yield from _of_cases(found["cases"])


def _score_lines(text: bytes) -> Iterator[tuple[str, Any]]:
    yield from _of_cases([_json(line) for line in text.splitlines()])


def _run_json(text: bytes) -> Iterator[tuple[str, Any]]:
    found = _json(text)
    [evaluation] = found["evaluations"]
    [scorer] = evaluation["scorers"]
    yield from _of_results(evaluation["results"])
    yield from _of_cases(evaluation["cases"])
    yield from [("f1", scorer["mean"]), ("passed", scorer["passed"]), ("trials", scorer["scored"])]
    for each in (found["totals"], evaluation):
        yield from [("passed", each["passed"]), ("errors", each["errors"])]


# What reports for people say, and which numbers these are: shares are percentages.
_TEXTS = (
    (r"Macro F1 ([\d.]+)%", ["f1%"]),
    (r"macro, mean over trials\W+([\d.]+)%", ["f1%"]),
    (r"trials passed\W+(\d+) of (\d+), ([\d.]+)%", ["passed", "trials", "passed%"]),
    (r"trials exact\W+(\d+) of (\d+)", ["exact", "trials"]),
    (r"expected, (\d+) actual", ["actual"]),
    (r"accuracy\W+(0\.\d+)\W+(\d+)/(\d+)", ["f1", "passed", "trials"]),
    (r"(\d+) of (\d+) trials passed", ["passed", "trials"]),
    (r"(\d+) errors", ["errors"]),
    (r"passed, mean over cases\W+([\d.]+)%\W+([\d.]+)%", ["cases%", "cases%"]),
    (r"\d{8}-\d{6}-\w{4} .*?([\d.]+)% +\S+ +(0\.\d+)", ["passed%", "f1"]),  # a line of `history`
)


def _text(text: bytes) -> Iterator[tuple[str, Any]]:
    for pattern, names in _TEXTS:
        for found in re.finditer(pattern, text.decode()):
            yield from zip(names, map(float, found.groups()), strict=True)


def _junit(text: bytes) -> Iterator[tuple[str, Any]]:
    root = fromstring(text)  # noqa: S314  (our own report)
    tests = [*root.iter("testcase")]
    wrong = [each for each in tests if {"failure", "error"} & {part.tag for part in each}]
    yield from [("trials", len(tests)), ("passed", len(tests) - len(wrong))]
    yield "errors", len([*root.iter("error")])
    for found in root.iterfind("testsuite/properties/property"):
        yield "f1", float(found.get("value", ""))


def _document(data: Any) -> Iterator[tuple[str, Any]]:
    counts, facts = data["counts"], {each["label"]: each["value"] for each in data["facts"]}
    yield from [("passed", counts["passed"]), ("errors", counts["errors"])]
    yield from [("trials", counts["trials"]), ("actual", data["calls"]["actual"])]
    if data["comparison"] is None:
        yield from [("f1", data["headline"]["value"]), ("exact%", 100 * facts["Exact matches"])]
        yield from [("passed%", 100 * facts[name]) for name in ("Passed",) if name in facts]
    else:
        yield from _sides(data["comparison"])


def _html(text: bytes) -> Iterator[tuple[str, Any]]:
    [found] = re.findall(
        r"^--- report\n(.*?)(?:^---|\Z)",
        html_text(text, has_words=False),
        re.DOTALL | re.MULTILINE,
    )
    yield from _document(_json(found))


def _sides(found: Any) -> Iterator[tuple[str, Any]]:
    for side in (found["before"], found["after"]):
        yield from [(name, side[name]) for name in ("f1", "passed", "trials", "errors")]


def _compare_json(text: bytes) -> Iterator[tuple[str, Any]]:
    yield from _sides(_json(text))


def _gate_json(text: bytes) -> Iterator[tuple[str, Any]]:
    yield from _sides(_json(text)["comparison"])


def _history_json(text: bytes) -> Iterator[tuple[str, Any]]:
    for run in _json(text):
        [found] = run["evaluations"]
        yield from _listed(found)


def _listed(found: Any) -> Iterator[tuple[str, Any]]:
    yield from [(name, found[name]) for name in ("f1", "passed", "trials", "errors")]
    yield "passed%", 100 * found["share"]


def _export_lines(text: bytes) -> Iterator[tuple[str, Any]]:
    first, second, *rows = [_json(line) for line in text.splitlines()]
    for totals in (first["run"]["totals"], second["evaluation"]["summary"]):
        yield from [("f1", totals["f1"]), ("passed", totals["passed"])]
        yield from [("errors", totals["errors"]), ("trials", totals["trials"])]
        yield "passed%", 100 * totals["passed_share"]
    yield from _exported([each["result"] for each in rows if "result" in each])


def _export_table(text: bytes) -> Iterator[tuple[str, Any]]:
    yield from _exported([*csv.DictReader(io.StringIO(text.decode()))])


def _exported(rows: list[Any]) -> Iterator[tuple[str, Any]]:
    yield "trials", len(rows)
    yield "f1", sum([float(row["f1"] or 0) for row in rows]) / len(rows)
    yield "errors", sum([row["status"] == "error" for row in rows])


def _export_parquet(text: bytes) -> Iterator[tuple[str, Any]]:
    from pyarrow import BufferReader, parquet

    yield from _exported(parquet.read_table(BufferReader(text)).to_pylist())


_OF_A_RUN: dict[str, Reader] = {
    "table": _text,
    "json": _run_json,
    "markdown": _text,
    "junit": _junit,
    "html": _html,
}
READERS: dict[str, dict[str, Reader]] = {
    "score": {**_OF_A_RUN, "json": _score_json, "jsonl": _score_lines},
    "show": _OF_A_RUN,
    "run": _OF_A_RUN,
    "rescore": _OF_A_RUN,
    "history": {"table": _text, "json": _history_json},
    "compare": {"table": _text, "json": _compare_json, "markdown": _text, "html": _html},
    "gate": {
        "table": _text,
        "json": _gate_json,
        "markdown": _text,
        "junit": _text,
        "html": _html,
    },
    "export": {"jsonl": _export_lines, "csv": _export_table, "parquet": _export_parquet},
}
# What each command is given.
ARGUMENTS = {
    "score": "cases.jsonl --show all",
    "show": "RUN1 --show all",
    "run": "eval_weather.py -j 1 --trials 3 --show all",
    "rescore": "RUN1 --show all",
    "history": "",
    "compare": "RUN1 RUN1",
    "gate": "RUN1 --against RUN1",
    "export": "RUN1",
}


def _differing(found: Iterator[tuple[str, Any]], expected: Numbers, where: str) -> list[str]:
    """What a report says otherwise, and whether it says nothing that is known."""
    known = expected | {
        f"{name}%": 100 * value / (1 if name in ("f1", "cases") else expected["trials"])
        for name, value in expected.items()
    }
    said = [*found]
    wrong = [
        f"{where}: {name} is {value}, not {known[name]}"
        for name, value in said
        if float(value) != pytest.approx(known[name], abs=0.06 if "%" in name else 6e-4)
    ]
    return (
        wrong
        if {"f1", "f1%", "passed", "cases%"} & {name for name, _ in said}
        else [f"{where}: nothing"]
    )


def _formats(command: str) -> list[str]:
    [option] = [each for each in import_command(command).params if each.name == "output_format"]
    assert isinstance(option.type, click.Choice)
    return [*option.type.choices]


def _commanded(folder: Folder, command: str, expected: Numbers) -> Iterator[str]:
    """What a command says otherwise, in each of its formats."""
    assert sorted(READERS[command]) == sorted(_formats(command)), command
    for name, read in READERS[command].items():
        Path("asked.log").unlink(missing_ok=True)
        found = folder.run(f"{command} {ARGUMENTS[command]} --format {name} -o report")
        assert found.exit in (0, 1, 4), (command, name, found.err)
        yield from _differing(
            read(Path("report").read_bytes()), expected, f"{command} --format {name}"
        )


def _on_page(browser: Browser, run: str, expected: Numbers) -> Iterator[str]:
    """What the page says otherwise of a run: in the list, on its own page, in the trend."""
    [listed] = [each for each in browser.get("/api/home")["runs"] if each["id"] == run]
    yield from _differing(_listed(listed["evaluations"][0]), expected, "the list of the page")
    shown = browser.get(f"/api/runs/{run}")["document"]
    yield from _differing(_document(shown), expected, "the page of the run")


@pytest.mark.slow
def test_all_reports_of_a_run_have_the_same_numbers(project: Path, browser: Browser) -> None:
    (project / "eval_weather.py").write_text(AGENT)
    folder = Folder(project)
    folder.write({"cases.jsonl": [msgspec.json.encode(case).decode() for case in CASES]})

    folder.run("score cases.jsonl --save scored")
    [run] = [each["id"] for each in browser.get("/api/home")["runs"]]
    commands = ("score", "show", "history", "compare", "gate", "export", "rescore")
    wrong = [each for command in commands for each in _commanded(folder, command, FILE)]
    wrong += [*_on_page(browser, run, FILE), *_commanded(folder, "run", RUN)]
    Path("asked.log").unlink()
    found = callscore.evaluate(
        "eval_weather.py", trials=3, jobs=1, save=True, show="all", max_shown=None
    )
    wrong += _on_page(browser, found.id, RUN)
    wrong += _differing(_run_json(msgspec.json.encode(found.to_dict())), RUN, "evaluate")
    results = callscore.score_files("cases.jsonl", show="all", max_shown=None)
    wrong += _differing(_of_results(results.to_dict()), FILE, "score_files")
    scores = results.to_arrow()["f1"].to_pylist()
    wrong += _differing(iter([("f1", sum(scores) / len(scores))]), FILE, "rows")

    assert not wrong, "\n".join(wrong)
