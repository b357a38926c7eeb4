"""The library, its public names, pytest sessions, MCP, and the examples of the documentation."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

from tools.transcript.inputs import AGENT, CASES, TOOLS, json_text
from tools.transcript.snippets import MCP_CLIENT, MODELS, PUBLIC_NAMES, SNIPPETS
from tools.transcript.steps import callscore, job, pytest, python, shell

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tools.transcript.steps import Job, Step

__all__ = ["python_jobs"]

_BLOCK = re.compile(r"^```(?P<kind>bash|python)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
# A reader types these in a clone of the repository.
_NOT_RUN = ("make ", "source ", "pip ")
_COMMANDS = (
    *("baseline", "baseline set", "baseline list", "baseline remove", "bless", "capture", "check"),
    *("compare", "demo", "explain", "export", "extract", "formats", "gate", "gc", "generate"),
    *(
        "history",
        "import",
        "init",
        "mcp",
        "metrics",
        "receive",
        "rescore",
        "run",
        "schema",
        "score",
        "show",
        "validate",
    ),
)


def python_jobs(repository: Path) -> Iterator[Job]:
    """All jobs of these kinds."""
    yield from _help_jobs()
    yield from _library_jobs()
    yield from _pytest_jobs()
    yield from _mcp_jobs()
    yield from _receive_jobs()
    yield from _page_jobs(repository)


def _help_jobs() -> Iterator[Job]:
    yield job(
        "help",
        callscore("--help", is_cold=True),
        callscore(),
        callscore("-h", environment={"COLUMNS": "60"}),
        callscore("--version", is_cold=True),
        callscore("scores"),
        callscore("--nope"),
        *(callscore(*name.split(), "--help") for name in _COMMANDS),
        *(callscore(*name.split(), "-h", environment={"COLUMNS": "60"}) for name in _COMMANDS),
        *(callscore(*name.split(), "--nope") for name in _COMMANDS),
        *(callscore(*name.split(), "extra", "words", "too", "many") for name in _COMMANDS),
        callscore("schema", is_cold=True),
        callscore("schema", "case"),
        callscore("schema", "suite", "-o", "suite.json"),
        callscore("schema", "cases"),
        callscore("validate", "--lang", "ru"),
        callscore("demo", is_cold=True),
        callscore("demo", "--lang", "ru"),
        callscore("schema", "case", "--output", "case.json"),
        callscore("demo", is_terminal=True),
    )


def _library_jobs() -> Iterator[Job]:
    files = {"cases.jsonl": CASES, "tools.json": json_text(TOOLS)}
    yield job("library/public-names", python(PUBLIC_NAMES, is_cold=True))
    for name, code in SNIPPETS.items():
        yield job(f"library/{name}", python(code), files=files)
    yield job("library/models", python(MODELS), has_model=True)


_TESTS = {
    "test_asserting.py": """\
import pytest
from callscore.testing import assert_calls, call

RESPONSE = [{"name": "getWeather", "arguments": {"location": "London"}}]


def test_right():
    assert_calls([call("getWeather", location="London")], RESPONSE)


def test_wrong():
    assert_calls([call("getWeather", location="Paris")], RESPONSE)


def test_lenient():
    assert_calls([call("getWeather", location="Paris"), "other"], RESPONSE, pass_mark=0.1)


def test_wrong_setting():
    assert_calls([], RESPONSE, mod="x")


def test_nothing():
    assert_calls([], None)


@pytest.mark.parametrize("made", ["g", "h"])
def test_parameters(made):
    assert_calls([call("f")], [made])
""",
    "test_marked.py": """\
import pytest
from callscore.testing import call


@pytest.mark.callscore(expected=[call("f", a=1)])
def test_right():
    return [("f", {"a": 1})]


@pytest.mark.callscore(expected=[call("f", a=1)])
def test_wrong():
    return [("f", {"a": 2})]


@pytest.mark.callscore(expected=[call("f", a=1)])
async def test_wrong_async():
    return [("f", {"a": 2})]


@pytest.mark.callscore(expected=[])
def test_unreadable():
    return 17


@pytest.mark.callscore(expected=[])
def test_returns_nothing():
    pass


@pytest.mark.callscore(expeted=[])
def test_typo():
    return []
""",
}
_EVALUATIONS = {
    "evals/eval_assistant.py": AGENT
    + """
@evaluation(cases=CASES, tools=[getWeather, calculator], fail_under=0.9,
            scorers=["tool_called", "accuracy"])
def assistant(case):
    return ask(case)


@evaluation(cases=CASES[:2], variants={"x": {}, "y": {}}, trials=2)
def raising(case):
    if case.id == "sum":
        raise ValueError("tired")
    return ask(case)
""",
    "evals/eval_suite.yaml": "answers: answers.jsonl\ncases:\n"
    "  - id: a   # the first\n    input: hi\n    expected:\n      - name: f\n        arguments: {x: 1}\n"
    "  - {id: b, input: ho, expected: [{name: f, arguments: {x: 2}}], tags: [slow]}\n"
    "  - {id: c, input: skip, expected: [], skip: later}\n",
    "evals/answers.jsonl": '{"id": "a", "answer": [{"name": "f", "arguments": {"x": 2}}]}\n'
    '{"id": "b", "answer": [{"name": "f", "arguments": {"x": 2}}]}\n',
}


def _pytest_jobs() -> Iterator[Job]:
    # Deselected are plugins of others, which may be installed or not.
    quiet = ("-p", "no:xdist", "-p", "no:hypothesispytest", "-p", "no:anyio", "--no-header")
    yield job(
        "pytest/asserting",
        pytest(*quiet),
        pytest(*quiet, "-q", "--junitxml=report.xml"),
        pytest(*quiet, "--callscore-update"),
        pytest(*quiet),
        pytest("--help", *quiet),
        pytest("--markers", *quiet),
        files=_TESTS,
    )
    yield job(
        "pytest/evaluations",
        pytest(*quiet, "--callscore"),
        pytest(*quiet, "--callscore", "-v", "evals/eval_suite.yaml"),
        pytest(*quiet, "--callscore", "--collect-only", "-q"),
        pytest(*quiet, "--callscore", "-q", "-k", "weather"),
        pytest(*quiet, "--callscore", "-q", "-m", "slow"),
        pytest(*quiet, "--callscore", "-q", "--callscore-trials", "2", "evals/eval_suite.yaml"),
        pytest(
            *quiet, "--callscore", "-q", "--callscore-timeout", "0.5", "--callscore-retries", "0"
        ),
        pytest(*quiet, "--callscore", "-q", "--callscore-trials", "0"),
        pytest(*quiet, "--callscore", "-q", "--junitxml=report.xml", "evals/eval_assistant.py"),
        pytest(*quiet, "evals"),
        pytest(*quiet, "--callscore", "--callscore-update"),
        pytest(*quiet, "--callscore", "--callscore-update"),
        pytest(
            "-p",
            "no:hypothesispytest",
            "--no-header",
            "--callscore",
            "-q",
            "-n",
            "1",
            "evals/eval_suite.yaml",
        ),
        files=_EVALUATIONS,
    )
    yield job(
        "pytest/wrong",
        *(
            pytest(*quiet, "--callscore", "-q", name)
            for name in ("eval_a.py", "eval_b.yaml", "eval_c.py")
        ),
        pytest(*quiet, "--callscore", "-q"),
        files={
            "eval_a.py": "import no_such_module\n",
            "eval_b.yaml": "answer: x\n",
            "eval_c.py": "x = 1\n",
        },
    )


def _mcp_jobs() -> Iterator[Job]:
    yield job(
        "mcp",
        python(MCP_CLIENT, is_cold=True),
        callscore("mcp", "--port", "70000"),
        callscore("mcp", "--http", "--host", "not an address"),
    )


def _receive_jobs() -> Iterator[Job]:
    """What is refused before anything is received."""
    yield job(
        "receive",
        callscore("receive", "--port", "70000"),
        callscore("receive", "--host", "0.0.0.0"),  # noqa: S104  (it is refused)
        callscore("receive", "--check", "--expected", "cases.jsonl"),
        callscore("receive", "--port", "0", "--expected", "missing.jsonl"),
        callscore("receive", "--output", "-"),
    )


def _page_jobs(repository: Path) -> Iterator[Job]:
    """The examples of each page of the documentation, as a reader runs them."""
    pages = [repository / "README.md", *sorted((repository / "docs").rglob("*.md"))]
    for page in pages:
        blocks = [
            (block["kind"], block["code"])
            for block in _BLOCK.finditer(page.read_text(encoding="utf-8"))
            if not block["code"].startswith(_NOT_RUN)
        ]
        steps: list[Step] = []
        codes: list[str] = []
        for kind, group in groupby(blocks, key=lambda block: block[0]):
            code = [block[1] for block in group]
            if kind == "bash":
                steps += map(shell, code)
            else:
                # Python blocks of one page share their names.
                codes += code
                steps.append(python("\n".join(codes)))
        if steps:
            yield job(f"pages/{page.relative_to(repository).as_posix()}", *steps)
