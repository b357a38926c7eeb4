"""Whatever ids, names, values and messages contain, no command prints what a build server executes.

Hostile texts are in every field, and every command writes every format.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import fromstring

import msgspec
import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Program

HOSTILE = [
    "::error file=a,line=1::pwn",
    "\t  ::add-mask::x",
    "a\n::set-output name=a::b\r::warning::c",
    "##[command]d",
    "e ##vso[task.setvariable variable=x]f",
    "##teamcity[buildStatus text='g']",
    "h\x85::error::i\x9b31m\u2028::error::j\u2029k",
    "\u202el\u202a\u2066m\u2069\u200en\u200fo\u061cp\ufeffq\u200br\xads",
    "t\x1b[31m\x07\x7fu\u3164v\u115fw\U000e0041x\U000e0100y",
]
JOINED = ["".join(HOSTILE[at : at + 3]) for at in (0, 3, 6)]
COLOUR = re.compile(r"\x1b\[[\d;]*m")
INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"
)
COMMAND = re.compile(r"^\s*::|##\w*\[", re.MULTILINE)
AGENT = """
import json
from callscore import Case, evaluation

HOSTILE = json.load(open("hostile.json", encoding="utf-8"))
EXPECTED = {text: [{"name": text, "arguments": {text: text}}] for text in HOSTILE}
CASES = [
    Case(text, id=text, tags=[text], metadata={"a": text}, expected=EXPECTED[text])
    for text in HOSTILE
]


def note(output):
    return 0.5, HOSTILE[0] + HOSTILE[2] + HOSTILE[3]


@evaluation(cases=CASES, name="a " + "".join(HOSTILE), scorers=["accuracy", note], tags=HOSTILE)
def agent(case):
    if case.id == HOSTILE[1]:
        raise ValueError("".join(HOSTILE))
    if case.id == HOSTILE[2]:
        return "not a trace" + "".join(HOSTILE)
    return [{"name": case.id, "arguments": {case.id: case.id + "!", **VALUES}}]


VALUES = {}
"""


def of_text(text: str) -> dict[str, Any]:
    """A case with a text in every field, which fails."""
    return {
        "id": text,
        "input": text,
        "tags": [text],
        "metadata": {text: text},
        "tools": [{"name": text, "description": text, "parameters": {"type": "object"}}],
        "expected": [{"name": text, "arguments": {text: text, "a": [text]}}, {"name": "f" + text}],
        "actual": [
            {"name": text, "arguments": {text: f"{text}!", "b": {text: 1}}, "error": text},
            {"name": f"{text}?", "arguments": text},
        ],
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project with cases, tools, evaluations and broken files that hold hostile texts."""
    encode = msgspec.json.encode
    cases = [of_text(text) for text in HOSTILE]
    (tmp_path / ".git").mkdir()
    (tmp_path / "hostile.json").write_bytes(encode(HOSTILE))
    (tmp_path / "cases.jsonl").write_bytes(msgspec.json.Encoder().encode_lines(cases))
    fewer = [{**case, "actual": case["expected"]} for case in cases[1:]]
    (tmp_path / "other.jsonl").write_bytes(msgspec.json.Encoder().encode_lines(fewer))
    (tmp_path / "tools.json").write_bytes(encode([case["tools"][0] for case in cases]))
    (tmp_path / "eval_agent.py").write_text(AGENT)
    broken = [
        {"id": text, "expectd": text, text: text, "expected": {text: text}} for text in HOSTILE
    ]
    (tmp_path / "broken.jsonl").write_bytes(msgspec.json.Encoder().encode_lines(broken))
    (tmp_path / "::error::x\n::error::\u202ey.jsonl").write_text("{")
    suite = {"model": "m", HOSTILE[2]: HOSTILE[2], "cases": HOSTILE}
    (tmp_path / "broken.yaml").write_bytes(encode(suite))
    return tmp_path


FORMATTED = {
    "score cases.jsonl": ("table", "json", "jsonl", "markdown", "junit"),
    "score cases.jsonl --show all --metric ragas.tool_call_f1": (
        "table",
        "json",
        "markdown",
        "junit",
    ),
    "score --expected cases.jsonl --actual other.jsonl": ("table", "json", "markdown", "junit"),
    "check cases.jsonl --tools tools.json": ("table", "json", "jsonl", "markdown"),
    "compare cases.jsonl other.jsonl": ("table", "json", "markdown"),
    "run eval_agent.py": ("table", "json", "markdown", "junit"),
    "run eval_agent.py -v": ("table",),
    "run eval_agent.py --collect-only": ("table", "json"),
    "show latest": ("table", "json", "markdown", "junit"),
    "show latest CASE": ("table", "json", "markdown"),
    "rescore": ("table", "json", "markdown", "junit"),
    "history": ("table", "json"),
    "gate latest --against first": ("table", "json", "markdown", "junit"),
    "compare first latest": ("table", "json", "markdown"),
    "export latest": ("jsonl", "csv"),
}
PLAIN = [
    *("explain cases.jsonl --case CASE", "extract cases.jsonl", "extract --definitions tools.json"),
    *("capture cases.jsonl", "generate --tools tools.json -n 20", "bless latest --dry-run"),
    *(
        "score broken.jsonl",
        "score broken.jsonl --skip-bad",
        "score broken.jsonl --skip-bad --json",
    ),
    *(
        "score FILE",
        "check FILE",
        "extract FILE",
        "run FILE",
        "run broken.yaml",
        "score --mode CASE",
    ),
    *(
        "CASE",
        "score --CASE",
        "show CASE",
        "gate CASE",
        "score cases.jsonl -o CASE/x",
        "export CASE",
    ),
    *("baseline set CASE", "compare CASE CASE", "explain FILE --case CASE", "history --store FILE"),
    "score cases.jsonl --config FILE",
]


def lines_of(folder: Path, *, is_coloured: bool) -> list[tuple[str, ...]]:
    """Every command with every format, and those for each hostile text; in colour, only the tables."""
    file = str(next(each for each in folder.iterdir() if each.name.startswith("::")))
    lines = [
        (*command.split(), "--format", each)
        for command, formats in FORMATTED.items()
        for each in formats
        if each == "table" or not is_coloured
    ]
    lines += [] if is_coloured else [tuple(command.split()) for command in PLAIN]
    found: list[tuple[str, ...]] = []
    for line in lines:
        texts = HOSTILE if {"show", "explain"} & {*line} else JOINED
        found += [
            tuple(file if word == "FILE" else word.replace("CASE", text) for word in line)
            for text in (texts if any("CASE" in word for word in line) else texts[:1])
        ]
    return found


def problems_in(printed: str, *, is_coloured: bool) -> list[str]:
    """What is wrong with a printed text."""
    text = COLOUR.sub("", printed) if is_coloured else printed
    return [
        *[f"a command: {line!r}" for line in text.split("\n") if COMMAND.search(line)],
        *[f"invisible: {found[0]!r} in {text[:60]!r}" for found in INVISIBLE.finditer(text)],
    ][:3]


def is_read_back(line: tuple[str, ...], printed: str) -> bool:
    """Whether programs can read the format, and find the texts in it unchanged."""
    if "--format" not in line or not printed:
        return True
    chosen = line[line.index("--format") + 1]
    if chosen == "junit":
        fromstring(printed)  # noqa: S314  (our own)
    if chosen not in ("json", "jsonl"):
        return True
    documents = printed.splitlines() if chosen == "jsonl" else [printed]
    pending = [msgspec.json.decode(each) for each in documents]
    texts = set()
    while pending:
        item = pending.pop()
        if isinstance(item, dict | list):
            pending += [*item, *item.values()] if isinstance(item, dict) else item
        else:
            texts.add(item)
    has_all_ids = line[:2] in (
        ("score", "cases.jsonl"),
        ("run", "eval_agent.py"),
        ("export", "latest"),
    )
    return texts.issuperset(HOSTILE) or not has_all_ids


@pytest.mark.parametrize("is_coloured", [False, True])
def test_no_command_prints_what_a_build_server_executes(
    callscore: Program, folder: Path, *, is_coloured: bool
) -> None:
    environment: dict[str, Any] = {"FORCE_COLOR": "1"} if is_coloured else {}
    wrong, codes = [], set()
    callscore("run", "eval_agent.py", "--name", "first")
    agent = folder / "eval_agent.py"
    agent.write_text(agent.read_text().replace('+ "!"', '+ ""'))

    for line in lines_of(folder, is_coloured=is_coloured):
        ran = callscore(*line, **environment)
        codes.add(ran.returncode)
        problems = [
            *problems_in(ran.stdout, is_coloured=is_coloured),
            *problems_in(ran.stderr, is_coloured=is_coloured),
        ]
        if not is_read_back(line, ran.stdout):
            problems.append("not read back")
        if "Traceback" in ran.stderr:
            problems.append(ran.stderr[-300:])
        wrong += [f"{shlex.join(line)}: {each}" for each in problems]

    assert wrong == []
    assert codes == ({0, 4} if is_coloured else {0, 1, 2, 3, 4})


def test_the_annotations_of_the_gate_are_its_own(callscore: Program, folder: Path) -> None:
    agent = folder / "eval_agent.py"
    text = agent.read_text()
    agent.write_text(text.replace('+ "!"', '+ ""'))
    callscore("run", "eval_agent.py", "--name", "first")
    agent.write_text(text)
    callscore("run", "eval_agent.py")
    summary = folder / "summary.md"

    ran = callscore(
        *("gate", "latest", "--against", "first"),
        GITHUB_ACTIONS="true",
        GITHUB_STEP_SUMMARY=str(summary),
    )

    annotations = [line for line in ran.stderr.splitlines() if line.startswith("::")]
    assert annotations
    assert all(re.match("::(error|notice) (title|file)=", line) for line in annotations)
    assert problems_in("\n".join(line[2:] for line in annotations), is_coloured=False) == []
    assert problems_in(ran.stdout, is_coloured=False) == []
    assert problems_in(summary.read_text(encoding="utf-8"), is_coloured=False) == []


def test_pytest_prints_no_command(pytester: pytest.Pytester, folder: Path) -> None:
    for name in ("eval_agent.py", "hostile.json"):
        pytester.path.joinpath(name).write_bytes((folder / name).read_bytes())

    ran = pytester.runpytest_subprocess(
        "--callscore", "-v", "-p", "no:cacheprovider", "eval_agent.py"
    )

    assert ran.ret == 1
    assert problems_in(ran.stdout.str(), is_coloured=False) == []
