"""`$judge` in a case file, answered by a model over HTTP, and from the history ever after."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.servers.openai_server import Reply, openai_server

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Program

KEY = "ZxQqWmPl0123hush4567"
POLITE = {"$judge": "is it polite?"}


def case(name: str, text: str, rule: Any = POLITE) -> dict[str, Any]:
    return {
        "id": name,
        "expected": [{"name": "say", "arguments": {"text": rule}}],
        "actual": [{"name": "say", "arguments": {"text": text}}],
    }


CASES = [
    case("kind", "good morning"),
    case("rude", "go away"),
    case("kind again", "good morning"),
    case("short", "good morning", {"$judge": "is it short?"}),
]


def opinion(body: dict[str, Any], _: int) -> Reply:
    is_rude = "go away" in body["messages"][-1]["content"]
    verdict = {"verdict": not is_rude, "reason": "it sends people away" if is_rude else "fine"}
    return Reply(text=msgspec.json.encode(verdict).decode())


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    path = tmp_path / "cases.jsonl"
    path.write_bytes(msgspec.json.Encoder().encode_lines(CASES))
    return path


def test_each_distinct_question_is_asked_once_and_never_again(
    callscore: Program, cases: Path
) -> None:
    with openai_server(opinion) as server:
        line = ("score", cases, "--judge", "j")
        first = callscore(*line, OPENAI_BASE_URL=server.base_url, OPENAI_API_KEY=KEY)
        asked = len(server.requests)
        again = callscore(*line, "--lang", "ru", OPENAI_BASE_URL=server.base_url)

    assert (first.returncode, first.stderr) == (0, "")
    assert "Macro F1 75.0%" in first.stdout
    assert "the judge: it sends people away" in first.stdout
    assert first.stdout.endswith("\nj judged 3 values with 3 requests\n")
    assert asked == len(server.requests) == 3
    assert again.stdout.endswith("\nj: 3 значения оценены, 0 запросов\n")
    assert "судья: it sends people away" in again.stdout
    kept = b"".join(path.read_bytes() for path in (cases.parent / ".callscore").iterdir())
    assert KEY.encode() not in kept


def test_a_project_names_its_judge(callscore: Program, cases: Path) -> None:
    with openai_server(opinion) as server:
        (cases.parent / "callscore.toml").write_text(
            f'[judge]\nname = "j"\nbase_url = "{server.base_url}"\n'
        )
        run = callscore("score", cases)
        explained = callscore("explain", cases, "--case", "rude")

    assert "j judged 3 values" in run.stdout
    assert "the judge: it sends people away" in explained.stdout
    assert len(server.requests) == 3


def test_a_judge_that_gives_no_answer_is_an_error_that_shows_no_key(
    callscore: Program, cases: Path
) -> None:
    refusal = Reply(status=401, message=f"Incorrect API key provided: {KEY}")
    with openai_server(lambda _body, _number: refusal) as server:
        run = callscore(
            *("score", cases, "--judge", "j"), OPENAI_BASE_URL=server.base_url, OPENAI_API_KEY=KEY
        )

    assert run.returncode == 4
    assert run.stderr.startswith(
        "callscore: 4 cases not judged, and not in the report\n"
        f"callscore: {cases}:1: kind: j: judging 'is it polite?': the server returned"
        " 401 Unauthorized: Incorrect API key provided: [hidden OPENAI_API_KEY]\n"
    )
    assert "hush" not in run.stderr + run.stdout


def test_a_case_that_is_not_judged_is_named_and_the_others_are_scored(
    callscore: Program, cases: Path
) -> None:
    def script(body: dict[str, Any], number: int) -> Reply:
        is_about_length = "is it short?" in body["messages"][-1]["content"]
        return Reply(status=403, message="Never.") if is_about_length else opinion(body, number)

    with openai_server(script) as server:
        run = callscore(
            *("score", cases, "--judge", "j", "--format", "json"),
            OPENAI_BASE_URL=server.base_url,
        )

    assert run.returncode == 4
    assert msgspec.json.decode(run.stdout)["totals"]["cases"] == 3
    assert "cases.jsonl:4: short: j: judging 'is it short?': the server" in run.stderr
    assert "1 case not judged" in run.stderr


def test_a_judge_that_answers_nothing_any_more_is_asked_no_more(
    callscore: Program, tmp_path: Path
) -> None:
    path = tmp_path / "cases.jsonl"
    kind = case("kind", "good morning")
    many = [case(f"case {number}", f"text {number}") for number in range(20)]
    path.write_bytes(msgspec.json.Encoder().encode_lines([kind, *many]))

    def script(body: dict[str, Any], number: int) -> Reply:
        return opinion(body, number) if number == 1 else Reply(status=401, message="Never.")

    with openai_server(script) as server:
        run = callscore("score", path, "--judge", "j", OPENAI_BASE_URL=server.base_url)

    assert run.returncode == 4
    assert len(server.requests) == 6
    assert "passed   100.0%" in run.stdout
    assert "5 cases not judged" in run.stderr
