"""Patterns and URLs that a user types, and URLs that nobody typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from tests.servers.file_server import FileServer, serve_files

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.e2e.conftest import Program

CASE = b'{"id": "a", "expected": ["f"], "actual": ["f", "f"]}\n'
LOGIN = "anna:pa55word@"
SUITE = """
cases: {cases}
answers: {answers}
"""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with serve_files({"log.jsonl": CASE}) as running:
        yield running


def test_a_pattern_is_checked_and_extracted_like_its_files(
    callscore: Program, tmp_path: Path
) -> None:
    (tmp_path / "logs").mkdir()
    for name in ("a", "b"):
        (tmp_path / "logs" / f"{name}.jsonl").write_bytes(CASE)

    for command in (["check"], ["extract"], ["metrics", "--disagree"]):
        by_name = callscore(*command, "logs/a.jsonl", "logs/b.jsonl")
        by_pattern = callscore(*command, "**/*.jsonl")
        assert by_pattern.stdout == by_name.stdout
        assert by_pattern.returncode == by_name.returncode
    nothing = callscore("check", "logs/*.csv")
    assert nothing.returncode == 3
    assert "logs/*.csv: no file matches this pattern." in nothing.stderr


def test_a_url_that_a_user_types_is_read_and_its_login_is_not_shown(
    callscore: Program, server: FileServer
) -> None:
    server.login = "anna:pa55word"
    url = server.url("log.jsonl", login=LOGIN)

    checked = callscore("check", url, "--format", "json")
    page = callscore("check", url, "--format", "html")
    extracted = callscore("extract", url)
    tools = callscore("extract", url, "--definitions")
    explained = callscore("explain", url)
    disagreeing = callscore("metrics", "--disagree", url)
    server.files["log.jsonl"] = b""
    empty = [callscore(command, url) for command in ("check", "extract", "explain")]

    assert msgspec.json.decode(checked.stdout)["runs"] == 1
    assert extracted.stdout.count('"name":"f"') == 2
    assert server.url("log.jsonl", login="***@") in extracted.stderr
    assert explained.returncode == disagreeing.returncode == tools.returncode == 0
    assert [done.returncode for done in empty] == [3, 3, 3]
    for done in (checked, page, extracted, tools, explained, disagreeing, *empty):
        assert "pa55word" not in done.stdout + done.stderr


def test_a_url_that_is_not_a_file_of_cases_on_the_command_line_is_not_fetched(
    callscore: Program, server: FileServer, tmp_path: Path
) -> None:
    url = server.url("log.jsonl", login=LOGIN)
    (tmp_path / "cases.jsonl").write_bytes(CASE)
    (tmp_path / "eval_a.yaml").write_text(SUITE.format(cases=url, answers="cases.jsonl"))
    (tmp_path / "eval_b.yaml").write_text(SUITE.format(cases="cases.jsonl", answers=url))
    refused = {
        "capture": ["capture", url],
        "import": ["import", url],
        "run": ["run", url],
        "cases of a suite": ["run", "eval_a.yaml"],
        "answers of a suite": ["run", "eval_b.yaml"],
        "tools": ["check", "cases.jsonl", "--tools", url],
        "compare": ["compare", url, "cases.jsonl"],
        "expected of compare": ["compare", "cases.jsonl", "cases.jsonl", "--expected", url],
        "gate": ["gate", "cases.jsonl", "--against", url],
        "generate": ["generate", url],
    }

    codes = {name: callscore(*arguments).returncode for name, arguments in refused.items()}

    assert not [name for name, code in codes.items() if code == 0]
    assert not server.requests


def test_a_url_in_a_trace_is_not_fetched(callscore: Program, server: FileServer) -> None:
    url = server.url("log.jsonl").encode()
    case = CASE.replace(b'"a"', b'"%s"' % url).replace(
        b'"f", "f"', b'{"name": "f", "id": "%s"}' % url
    )

    checked = callscore("check", "-", stdin=case)
    refused = callscore("check", "-", stdin=case + b'{"actual": "%s"}\n' % url)

    assert (checked.returncode, refused.returncode) == (0, 3)
    assert not server.requests
