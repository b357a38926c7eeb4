"""Errors of Spark and Ray in a sentence: what failed on the cluster, and what to do."""

from __future__ import annotations

import re

from callscore import errors
from callscore.engines.row_totals import unreadable
from callscore.errors import CallscoreError, EngineFailed

# As the traceback of a worker ends, somewhere in the text of the error of the engine.
_OURS = re.compile(r"^(?:\S+: )?callscore\.(?P<name>[A-Z]\w+): (?P<message>.*)$", re.MULTILINE)
_NOT_INSTALLED = re.compile(
    r"No module named '(?P<name>[\w.]+)'|(?P<package>Pandas|PyArrow) >= \S+"
)
_SIMPLE = ("InvalidSettings", "InvalidCall", "InvalidDialect", "UnknownFormat")


def translated(engine: str, extra: str, error: BaseException) -> CallscoreError:
    """The error to raise in place of one of the engine, whose machines need the extra."""
    text = str(error)
    ours = [*_OURS.finditer(text)]
    if ours:
        name, message = ours[-1]["name"], ours[-1]["message"].strip()
        if name == "UnreadableInput":
            place, _, problem = message.partition(": ")
            return unreadable(place, problem)
        kind: type[CallscoreError] = getattr(errors, name)
        return kind(message) if name in _SIMPLE else EngineFailed(engine, message)
    package = _NOT_INSTALLED.search(text)
    if package is not None:
        name = (package["name"] or package["package"].lower()).partition(".")[0]
        return EngineFailed(
            engine,
            f"{name!r} is not installed where {engine} runs. Run pip install 'callscore[{extra}]' on every"
            " machine of the cluster, in the Python that its workers use",
        )
    return EngineFailed(engine, short_reason(error))


_STACK = re.compile(
    r"^\s*(?:at |Caused by:|JVM stacktrace|Traceback|File |This stopped)", re.MULTILINE
)
_CALLING = re.compile(r"^An error occurred while calling \S+\s*:?\s*(?:[a-z]+(?:\.\w+)+: )?")
_MOST_CHARACTERS = 400
# An error in a task of Ray begins with the task, and ends with what was raised.
_TASK = "ray::"
_RAISED = re.compile(r"^\s*(?P<text>(?:\w+\.)*[A-Z]\w+: .+)$", re.MULTILINE)
_COLOR = re.compile(r"\x1b\[[0-9;]*m")


def short_reason(error: BaseException) -> str:
    """What an error of an engine says, without stack traces, on one line."""
    whole = _COLOR.sub("", str(error)).strip()
    raised = [*_RAISED.finditer(whole)] if whole.startswith(_TASK) else []
    if raised:
        return raised[-1]["text"][:_MOST_CHARACTERS].rstrip(".:")
    text = _CALLING.sub("", _STACK.split(whole, maxsplit=1)[0].strip())
    return " ".join(text.split())[:_MOST_CHARACTERS].rstrip(".") or type(error).__name__


_HOST = re.compile(r"(?P<host>[\w.\-]+|\[[0-9a-fA-F:]+\]):(?P<port>\d{1,5})")
_CONNECT_SECONDS = 10


def require_reachable(engine: str, cluster: str) -> None:
    """Refuse the address of a cluster that nothing answers at; the engines try for minutes.

    Raises:
        EngineFailed: none of the hosts and ports in it accepts a connection.
    """
    from socket import create_connection

    reason = ""
    for found in _HOST.finditer(cluster):
        address = found["host"].strip("[]"), int(found["port"])
        try:
            create_connection(address, timeout=_CONNECT_SECONDS).close()
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or str(error)
        else:
            return
    if reason:
        raise EngineFailed(engine, not_started(cluster, reason))


def not_started(cluster: str, reason: str) -> str:
    """The sentence about a cluster that cannot be used."""
    where = cluster if "://" in cluster or ":" in cluster else f"the cluster {cluster!r}"
    return f"{where} cannot be used ({reason}). Check the address, and that the cluster runs"
