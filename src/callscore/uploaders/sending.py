"""Sends evaluations to a backend, in batches or one by one as they come, and counts what arrived."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from queue import Empty, Full, Queue
from threading import Thread
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from callscore.errors import InvalidSettings, UploadFailed
from callscore.hiding.hider import Hider
from callscore.uploaders.evaluations import Evaluation, NamingOptions, evaluations_of

if TYPE_CHECKING:
    from callscore.core.case import Origin

_BATCH = 100
_MAX_NAMES = 5
_MAX_PROBLEMS = 3
_QUEUE = 1_000
_MAX_LOST_BATCHES = 3
_END = None


class Outcome(Struct, frozen=True):
    """What came of a batch: how many did not arrive, and why, in sentences."""

    failed: int = 0
    problems: tuple[str, ...] = ()


class Connection(Struct, frozen=True):
    """An open connection to a backend.

    Attributes:
        send: sends evaluations and returns when the backend has taken them, or has not.
        close: ends the connection; nothing is sent any more.
        place: where it leads, without credentials; empty if only the client library knows.
    """

    send: Callable[[Sequence[Evaluation]], Outcome]
    close: Callable[[], None]
    place: str = ""


class Backend(Struct, frozen=True, kw_only=True):
    """A backend that scores can be sent to.

    Attributes:
        title: its name, as its makers write it.
        connect: opens a connection, to an address or to where the environment says.
        refusal: why an evaluation cannot be sent, in a few words; None if it can.
        needs: which ids a score needs, for the error if none has them; empty if none is needed.
    """

    title: str
    connect: Callable[[str | None], Connection]
    refusal: Callable[[Evaluation], str | None]
    needs: str = ""


class Delivery(Struct, frozen=True, kw_only=True):
    """What was sent, and what was not.

    Attributes:
        title: the name of the backend.
        place: the address, without credentials; empty if only the client library knows.
        sent: how many scores the backend took.
        failed: how many it did not take.
        problems: why, in sentences; each once, and only the first ones.
        unlinked: how many of those that were sent belong to no trace and no response.
        refused: how many were not sent, by the reason.
        refused_cases: the first cases of these.
        dropped: how many were not sent because too many were waiting.
    """

    title: str
    place: str = ""
    sent: int = 0
    failed: int = 0
    problems: tuple[str, ...] = ()
    unlinked: int = 0
    refused: dict[str, int] = {}
    refused_cases: tuple[str, ...] = ()
    dropped: int = 0

    @property
    def lost(self) -> int:
        """How many of the scores that could be sent did not arrive."""
        return self.failed + self.dropped

    def require_all(self) -> None:
        """Raise an error unless everything that could be sent arrived.

        Raises:
            UploadFailed: some did not.
        """
        if self.lost:
            raise UploadFailed(self.title, self.sent, self.lost, self.problems)


class _Counter:
    """Counts what is sent through one connection."""

    def __init__(self, backend: Backend, connection: Connection) -> None:
        self._backend = backend
        self._connection = connection
        self._sent = self._failed = self._unlinked = 0
        self._lost_batches = 0  # in a row
        self.dropped = 0
        self._problems: dict[str, None] = {}
        self._refused: dict[str, int] = {}
        self._refused_cases: dict[str, None] = {}

    def select(self, evaluations: Iterable[Evaluation]) -> Iterator[Evaluation]:
        """Those that can be sent; the others are counted."""
        for each in evaluations:
            refusal = self._backend.refusal(each)
            if refusal is None:
                yield each
                continue
            self._refused[refusal] = self._refused.get(refusal, 0) + 1
            if len(self._refused_cases) < _MAX_NAMES:
                self._refused_cases[each.case] = None

    @property
    def is_hopeless(self) -> bool:
        """Whether the last batches were all lost, and others are not worth the wait."""
        return self._lost_batches >= _MAX_LOST_BATCHES

    def skip(self, batch: Sequence[Evaluation]) -> None:
        """Count a batch as lost without sending it."""
        self._failed += len(batch)

    def fail(self, batch: Sequence[Evaluation], error: Exception) -> None:
        """Count a batch as lost because of an error that the backend does not know."""
        self._count(batch, Outcome(len(batch), (f"{type(error).__name__}: {error}",)))

    def send(self, batch: Sequence[Evaluation]) -> None:
        """Send a batch, and count what came of it."""
        self._count(batch, self._connection.send(batch))

    def _count(self, batch: Sequence[Evaluation], outcome: Outcome) -> None:
        self._lost_batches = self._lost_batches + 1 if outcome.failed == len(batch) else 0
        self._failed += outcome.failed
        self._sent += len(batch) - outcome.failed
        unlinked = sum(not each.is_linked for each in batch)
        self._unlinked += min(unlinked, len(batch) - outcome.failed)
        for problem in outcome.problems:
            if len(self._problems) < _MAX_PROBLEMS:
                # What a server answers may repeat what it was sent.
                self._problems[Hider(is_live=True).text(problem)] = None

    def delivery(self) -> Delivery:
        """What was sent so far."""
        return Delivery(
            title=self._backend.title,
            place=self._connection.place,
            sent=self._sent,
            failed=self._failed,
            problems=tuple(self._problems),
            unlinked=self._unlinked,
            refused=dict(self._refused),
            refused_cases=tuple(self._refused_cases),
            dropped=self.dropped,
        )


def upload_evaluations(
    backend: Backend, evaluations: Iterable[Evaluation], *, endpoint: str | None = None
) -> Delivery:
    """Send evaluations in batches, and say what arrived.

    Raises:
        InvalidSettings: none of them can be sent, or the address is not one.
        MissingExtra: the client library of the backend is not installed.
    """
    connection = backend.connect(endpoint)
    try:
        counter = _Counter(backend, connection)
        able = counter.select(evaluations)
        while batch := list(islice(able, _BATCH)):
            if counter.is_hopeless:
                counter.skip(batch)
            else:
                counter.send(batch)
    finally:
        connection.close()
    delivery = counter.delivery()
    if delivery.refused and not delivery.sent and not delivery.lost:
        raise InvalidSettings(nothing_to_send(backend, delivery.refused))
    return delivery


def nothing_to_send(backend: Backend, refused: Mapping[str, int]) -> str:
    """Why none of the scores can be sent, and what to do; `refused` has their number by reason."""
    count = sum(refused.values())
    reasons = ", ".join(refused)
    return (
        f"{backend.title}: none of {count} scores can be sent: {reasons}. {backend.title} needs"
        f" {backend.needs}. Score traces that have it, or put it into the metadata of each case"
    )


def upload_scored(  # noqa: PLR0913  (all but two are options)
    backend: Backend,
    scored: Any,
    *,
    endpoint: str | None = None,
    prefix: str | None = None,
    explain: bool = True,
    origin: Origin | None = None,
    case: str = "",
) -> Delivery:
    """Send a `Score`, `Results`, or a list of these; see `upload` of each backend.

    Raises:
        UploadFailed: not all of them arrived.
        InvalidSettings: none of them can be sent, or the value is something else.
        MissingExtra: the client library of the backend is not installed.
    """
    options = NamingOptions(explains=explain)
    if prefix is not None:
        options = NamingOptions(prefix=prefix, explains=explain)
    found = evaluations_of(scored, options=options, origin=origin, case=case)
    delivery = upload_evaluations(backend, found, endpoint=endpoint)
    delivery.require_all()
    return delivery


class Uploader:
    """Sends evaluations in a thread of its own, as they come.

    At most `max_waiting` wait to be sent. If there are as many, `send` waits for room.
    """

    def __init__(
        self, backend: Backend, *, endpoint: str | None = None, max_waiting: int = _QUEUE
    ) -> None:
        self._connection = backend.connect(endpoint)
        self._counter = _Counter(backend, self._connection)
        self._waiting: Queue[Evaluation | None] = Queue(max(max_waiting, 1))
        self._delivery: Delivery | None = None
        self._thread = Thread(target=self._run, name="callscore-uploader", daemon=True)
        self._thread.start()

    def send(self, evaluation: Evaluation, *, timeout: float | None = None) -> bool:
        """Queue an evaluation, and wait for room at most `timeout` seconds; by default without limit.

        Returns whether it was queued. If not, it is counted as lost.
        """
        if self._delivery is not None:
            raise InvalidSettings("this uploader is closed")
        try:
            self._waiting.put(evaluation, timeout=timeout)
        except Full:
            self._counter.dropped += 1
            return False
        return True

    def close(self) -> Delivery:
        """Send what waits, end the connection, and say what arrived."""
        if self._delivery is None:
            self._waiting.put(_END)
            self._thread.join()
            self._connection.close()
            self._delivery = self._counter.delivery()
        return self._delivery

    def _run(self) -> None:
        is_open = True
        while is_open:
            batch = [self._waiting.get()]
            while len(batch) < _BATCH and batch[-1] is not _END:
                try:
                    batch.append(self._waiting.get_nowait())
                except Empty:
                    break
            is_open = batch[-1] is not _END
            able = list(self._counter.select([each for each in batch if each is not None]))
            try:
                if able:
                    self._counter.send(able)
            except Exception as error:  # noqa: BLE001  (of the client library; it must not end the thread)
                self._counter.fail(able, error)
