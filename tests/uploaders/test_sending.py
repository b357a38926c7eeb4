"""Sending in batches, and as scores come; what arrives is counted."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

import callscore
from callscore.core.case import Origin
from callscore.errors import InvalidSettings, UploadFailed
from callscore.uploaders.evaluations import Evaluation
from callscore.uploaders.sending import (
    Backend,
    Connection,
    Outcome,
    Uploader,
    upload_evaluations,
    upload_scored,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LINKED = Origin("trace")


class Fake:
    """A backend that keeps what it is sent, and answers as `answer` says."""

    def __init__(self, answer: Callable[[Sequence[Evaluation]], Outcome] | None = None) -> None:
        self.batches: list[list[Evaluation]] = []
        self.endpoints: list[str | None] = []
        self.closed = 0
        self._answer = answer or (lambda _: Outcome())
        self.backend = Backend(
            title="Fake", connect=self._connect, refusal=self._refusal, needs="the id of the trace"
        )

    def _connect(self, endpoint: str | None) -> Connection:
        self.endpoints.append(endpoint)
        return Connection(self._send, self._close, "http://fake")

    def _send(self, batch: Sequence[Evaluation]) -> Outcome:
        self.batches.append(list(batch))
        return self._answer(batch)

    def _close(self) -> None:
        self.closed += 1

    @staticmethod
    def _refusal(evaluation: Evaluation) -> str | None:
        return "no trace id" if evaluation.origin.trace_id is None else None


def some(count: int, **fields: Any) -> list[Evaluation]:
    known = {"name": "a", "value": 1.0, "origin": LINKED}
    return [Evaluation(**{**known, "case": str(number), **fields}) for number in range(count)]


def test_all_scores_are_sent_in_batches_and_the_connection_is_closed() -> None:
    fake = Fake()

    delivery = upload_evaluations(fake.backend, iter(some(250)), endpoint="http://x")

    assert [len(batch) for batch in fake.batches] == [100, 100, 50]
    assert [each for batch in fake.batches for each in batch] == some(250)
    assert (delivery.sent, delivery.lost, delivery.place) == (250, 0, "http://fake")
    assert (fake.endpoints, fake.closed) == (["http://x"], 1)


def test_scores_that_cannot_be_linked_are_counted_and_the_first_cases_named() -> None:
    fake = Fake()

    delivery = upload_evaluations(fake.backend, [*some(2), *some(7, origin=Origin())])

    assert delivery.sent == 2
    assert delivery.refused == {"no trace id": 7}
    assert delivery.refused_cases == ("0", "1", "2", "3", "4")


def test_an_upload_in_which_no_score_can_be_linked_is_an_error() -> None:
    fake = Fake()

    with pytest.raises(
        InvalidSettings, match=r"none of 3 scores can be sent: no trace id\. Fake needs"
    ):
        upload_evaluations(fake.backend, some(3, origin=Origin()))
    assert (fake.batches, fake.closed) == ([], 1)


def test_failures_are_counted_and_their_reasons_named_once() -> None:
    fake = Fake(lambda _: Outcome(1, ("busy",)))
    delivery = upload_evaluations(fake.backend, some(201))

    assert (delivery.sent, delivery.failed, delivery.problems) == (198, 3, ("busy",))
    with pytest.raises(UploadFailed, match="Fake: 3 of 201 scores did not arrive: busy") as caught:
        delivery.require_all()
    assert (caught.value.sent, caught.value.failed) == (198, 3)


def test_after_three_lost_batches_no_more_are_tried() -> None:
    fake = Fake(lambda batch: Outcome(len(batch), ("gone",)))

    delivery = upload_evaluations(fake.backend, some(1_000))

    assert len(fake.batches) == 3
    assert (delivery.sent, delivery.failed) == (0, 1_000)


def test_secrets_in_the_answer_of_a_server_are_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_API_KEY", "sk-very-secret-value-2")
    fake = Fake(lambda batch: Outcome(len(batch), ("wrong key sk-very-secret-value-2",)))

    delivery = upload_evaluations(fake.backend, some(1))

    assert delivery.problems[0].startswith("wrong key ")
    assert "sk-very-secret-value-2" not in delivery.problems[0]


def test_a_score_that_does_not_arrive_is_an_error() -> None:
    fake = Fake(lambda batch: Outcome(len(batch)))
    score = callscore.score([{"name": "f"}], [{"name": "f"}])

    with pytest.raises(UploadFailed, match="no reason is known"):
        upload_scored(fake.backend, score, origin=LINKED)


# --- as they come -------------------------------------------------------------------------------


def test_an_uploader_sends_all_before_it_is_closed() -> None:
    fake = Fake()
    uploader = Uploader(fake.backend)

    queued = [uploader.send(each) for each in some(500)]
    delivery = uploader.close()

    assert all(queued)
    assert [each for batch in fake.batches for each in batch] == some(500)
    assert (delivery.sent, fake.closed) == (500, 1)
    assert uploader.close() is delivery


def test_an_uploader_has_a_bounded_queue() -> None:
    may_go_on = threading.Event()
    has_begun = threading.Event()

    def slow(_: Sequence[Evaluation]) -> Outcome:
        has_begun.set()
        may_go_on.wait()
        return Outcome()

    fake = Fake(slow)
    uploader = Uploader(fake.backend, max_waiting=2)
    first, *others = some(4)
    uploader.send(first)
    has_begun.wait()  # the first is being sent, and no longer waits

    queued = [uploader.send(each, timeout=0.01) for each in others]
    may_go_on.set()
    delivery = uploader.close()

    assert queued == [True, True, False]
    assert (delivery.sent, delivery.dropped, delivery.lost) == (3, 1, 1)


def test_an_uploader_counts_what_it_cannot_link_and_what_is_lost() -> None:
    fake = Fake(lambda batch: Outcome(len(batch), ("busy",)))
    uploader = Uploader(fake.backend)

    uploader.send(some(1)[0])
    uploader.send(some(1, origin=Origin())[0])
    delivery = uploader.close()

    assert (delivery.failed, delivery.refused) == (1, {"no trace id": 1})
    with pytest.raises(InvalidSettings, match="closed"):
        uploader.send(some(1)[0])


def test_an_error_of_the_client_library_loses_a_batch_and_not_the_uploader(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("callscore.uploaders.sending._BATCH", 1)

    def break_once(batch: Sequence[Evaluation]) -> Outcome:
        if batch[0].case == "0":
            raise RuntimeError("no such project")
        return Outcome()

    uploader = Uploader(Fake(break_once).backend)
    first, second = some(2)
    uploader.send(first)
    uploader.send(second)
    delivery = uploader.close()

    assert (delivery.sent, delivery.failed) == (1, 1)
    assert delivery.problems == ("RuntimeError: no such project",)
