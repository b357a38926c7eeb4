"""A file of a cloned repository names a server: nothing is sent before the user allows it."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.servers.openai_server import Reply, openai_server

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.e2e.conftest import Program
    from tests.servers.openai_server import OpenAIServer

TOKEN = "gh-ZxQqWmPl0123hush4567"  # noqa: S105  (not a real one)
CASE = {
    "id": "a",
    "input": "hi",
    "expected": [{"name": "f", "arguments": {"x": {"$judge": "is it?"}}}],
    "actual": [{"name": "f", "arguments": {"x": "y"}}],
}
TABLE = '[judge]\nname = "m"\nbase_url = "{url}"\nkey_variable = "GITHUB_TOKEN"\n'
SUITE = """
model: {{name: m, base_url: "{url}", key_variable: GITHUB_TOKEN}}
cases: [{{id: a, input: hi, expected: []}}]
"""
JUDGED_SUITE = """
answers: answers.jsonl
judge: {{name: m, base_url: "{url}", key_variable: GITHUB_TOKEN}}
cases: cases.jsonl
"""
FILES = {
    "callscore.toml": TABLE,
    "pyproject.toml": TABLE.replace("[judge]", "[tool.callscore.judge]"),
    "settings.toml": TABLE,
    "eval_model.yaml": SUITE,
    "eval_judge.yaml": JUDGED_SUITE,
}
COMMANDS = [
    ("callscore.toml", "score cases.jsonl"),
    ("callscore.toml", "compare cases.jsonl cases.jsonl"),
    ("pyproject.toml", "score cases.jsonl"),
    ("settings.toml", "score --config settings.toml cases.jsonl"),
    ("eval_model.yaml", "run ."),
    ("eval_judge.yaml", "run ."),
]


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    verdict = msgspec.json.encode({"verdict": True, "reason": "it is"}).decode()
    with openai_server(lambda *_: Reply(text=verdict)) as found:
        yield found


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "cases.jsonl").write_bytes(msgspec.json.encode(CASE) + b"\n")
    answer = {"id": "a", "actual": CASE["actual"]}
    (tmp_path / "answers.jsonl").write_bytes(msgspec.json.encode(answer) + b"\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("file", "line"), COMMANDS)
def test_a_command_sends_nothing_until_it_is_typed_as_the_refusal_says(
    file: str, line: str, callscore: Program, project: Path, server: OpenAIServer
) -> None:
    (project / file).write_text(FILES[file].format(url=server.base_url))
    environment: dict[str, Any] = {"GITHUB_TOKEN": TOKEN, "XDG_CONFIG_HOME": str(project)}

    refused = callscore(*line.split(), **environment)
    sent = len(server.requests)
    # Without `callscore` on the path, the command starts with the path of the script.
    name, command = refused.stderr.partition("\n")[0].rpartition(" run: ")[2].split(" ", 1)
    allowed = callscore(*shlex.split(command), **environment)

    assert (refused.returncode, refused.stdout, sent) == (2, "", 0)
    assert file in refused.stderr
    assert f"names the server {server.base_url}, so the cases and the value of" in refused.stderr
    assert "GITHUB_TOKEN may be sent there. This needs your consent." in refused.stderr
    assert "allow_servers in ~/.config/callscore/config.toml" in refused.stderr
    assert TOKEN not in refused.stderr
    assert name in ("callscore", shlex.quote(str(Path(sys.executable).with_name("callscore"))))
    assert allowed.returncode == 0, allowed.stderr
    assert len(server.requests) == 1


def test_a_missing_key_is_reported_with_the_file_that_names_its_variable(
    callscore: Program, project: Path
) -> None:
    url = "https://elsewhere.invalid/v1"
    (project / "callscore.toml").write_text(TABLE.format(url=url))

    found = callscore("score", "cases.jsonl", "--allow-server", f"{url}=GITHUB_TOKEN")

    message = "callscore.toml: the environment variable GITHUB_TOKEN is not set"
    assert found.stderr.count(message) == 1, found.stderr


def test_the_environment_or_the_configuration_of_the_user_allow_a_server(
    callscore: Program, project: Path, server: OpenAIServer
) -> None:
    (project / "callscore.toml").write_text(TABLE.format(url=server.base_url))
    pair = f"{server.base_url}=GITHUB_TOKEN"
    line = ("score", "cases.jsonl")
    environment: dict[str, Any] = {"GITHUB_TOKEN": TOKEN, "XDG_CONFIG_HOME": str(project / "home")}

    by_variable = callscore(*line, CALLSCORE_ALLOW_SERVERS=pair, **environment)
    (project / "home" / "callscore").mkdir(parents=True)
    config = project / "home" / "callscore" / "config.toml"
    config.write_text(f'allow_servers = ["{pair}"]\n')
    by_file = callscore(*line, **environment)
    config.write_text(f'allow_servers = ["{server.base_url}=OTHER"]\n')
    not_this_variable = callscore(*line, **environment)

    codes = [each.returncode for each in (by_variable, by_file, not_this_variable)]
    assert codes == [0, 0, 2]


def test_pytest_follows_the_same_rule(
    pytester: pytest.Pytester, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
    pytester.path.joinpath("eval_model.yaml").write_text(SUITE.format(url=server.base_url))
    options = ("--callscore", "-p", "no:cacheprovider", "eval_model.yaml")

    listed = pytester.runpytest_subprocess(*options, "--collect-only")
    refused = pytester.runpytest_subprocess(*options)
    sent = len(server.requests)
    monkeypatch.setenv("CALLSCORE_ALLOW_SERVERS", f"{server.base_url}=GITHUB_TOKEN")
    allowed = pytester.runpytest_subprocess(*options)

    assert (listed.ret, refused.ret, allowed.ret) == (0, 4, 0)
    assert f"CALLSCORE_ALLOW_SERVERS='{server.base_url}=GITHUB_TOKEN'" in refused.stderr.str()
    assert "allow_servers in ~/.config/callscore/config.toml" in refused.stderr.str()
    assert (sent, len(server.requests)) == (0, 1)
