"""`callscore upload`, with a backend that keeps what it is sent."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from callscore.cli import upload
from callscore.cli.main import run_command
from callscore.engines.collector import ScoreHooks
from callscore.engines.local import score_files
from callscore.engines.saving import SaveRequest, ScoreSaver
from callscore.errors import InvalidSettings, UploadFailed
from callscore.history.opening import open_store
from callscore.uploaders.sending import Backend, Connection, Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from callscore.uploaders.evaluations import Evaluation

TRACE = "5b8efff798038103d269b633813fc60c"
CASES = [
    {"id": "a", "expected": ["f"], "actual": ["f"], "metadata": {"trace_id": TRACE}},
    {"id": "b", "expected": ["f"], "actual": ["g"]},
]


class Fake:
    def __init__(self) -> None:
        self.sent: list[Evaluation] = []
        self.outcome = Outcome()

    def backend(self, _: str) -> Backend:
        def refusal(evaluation: Evaluation) -> str | None:
            return None if evaluation.is_linked else "no trace id"

        return Backend(title="Fake", connect=self.connect, refusal=refusal, needs="an id")

    def connect(self, endpoint: str | None) -> Connection:
        def send(batch: Sequence[Evaluation]) -> Outcome:
            self.sent += batch
            return self.outcome

        return Connection(send, lambda: None, endpoint or "")


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fake:
    """A backend, and a saved run with two cases."""
    monkeypatch.chdir(tmp_path)
    lines = b"\n".join(map(msgspec.json.encode, CASES))
    (tmp_path / "cases.jsonl").write_bytes(lines)
    saver = ScoreSaver(SaveRequest(name="night", cases=["cases.jsonl"]), open_store)
    score_files("cases.jsonl", hooks=saver.with_saving(ScoreHooks()))
    saver.finish()
    found = Fake()
    monkeypatch.setattr(upload, "backend_named", found.backend)
    return found


def run(*arguments: str) -> Any:
    return CliRunner().invoke(upload.command, [*arguments, "--to", "otel"])


def test_the_scores_of_a_run_are_sent(fake: Fake) -> None:
    done = run("night", "--endpoint", "http://x")

    assert done.exit_code == 0
    assert [(each.case, each.value, each.origin.trace_id) for each in fake.sent] == [
        ("a", 1.0, TRACE)
    ]
    assert "1 score sent to Fake (http://x)" in done.stderr
    assert "1 score not sent, no trace id: b" in done.stderr
    assert "add trace_id and span_id to the metadata" in done.stderr


def test_a_dry_run_prints_and_sends_nothing(fake: Fake) -> None:
    done = run("night", "--dry-run")

    (line,) = [msgspec.json.decode(line) for line in done.stdout.splitlines()]
    assert done.exit_code == 0
    assert fake.sent == []
    assert (line["case"], line["name"], line["value"]) == ("a", "callscore.accuracy", 1.0)
    assert line["origin"] == {"trace_id": TRACE}
    assert "1 score would be sent to Fake; nothing was sent" in done.stderr
    assert "1 score not sent, no trace id: b" in done.stderr


def test_an_upload_fails_if_a_score_does_not_arrive_and_says_how_many_were_sent(fake: Fake) -> None:
    fake.outcome = Outcome(1, ("busy",))

    done = run("night")

    assert isinstance(done.exception, UploadFailed)
    assert "0 scores sent to Fake" in done.stderr


def test_a_dry_run_of_which_nothing_can_be_sent_is_an_error(
    fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusing = replace(fake.backend(""), refusal=lambda _: "no trace id")
    monkeypatch.setattr(upload, "backend_named", lambda _: refusing)

    done = run("night", "--dry-run")

    assert isinstance(done.exception, InvalidSettings)
    assert "0 scores would be sent" in done.stderr


def test_the_choices_of_a_missing_option_are_listed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["callscore", "upload", "night"])

    assert run_command() == 2
    assert "Choose from:\n  otel,\n  langfuse," in capsys.readouterr().err
