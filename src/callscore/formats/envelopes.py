"""Documents inside others that only carry them: pages of an API, results of a query, logs.

No dialect recognizes the whole of such an envelope, but what it carries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from callscore.core.large_number import decode_json
from callscore.formats.shape import at, dicts

_MAX_DEPTH = 6
_MAX_SAMPLED = 20
_MAX_TRIED = 20  # braces of a line
# Where an API, a query or a dataset puts a list of records, or the object around that list.
_LIST_KEYS = (
    *("results", "data", "items", "rows", "records", "entries", "value", "values", "result"),
    *("traces", "runs", "logs", "events", "hits", "messages", "samples", "response", "list"),
    *("sessions", "conversations", "documents", "threads", "trajectories", "episodes"),
)
# Where such a record has what was stored.
_RECORD_KEYS = ("_source", "row", "document", "node", "record")
# Lists beside the records that say something about them.
_ABOUT = frozenset(("features", "links", "errors", "warnings", "facets", "columns", "schema"))

# What a record of a log has beside its text.
_LOG_KEYS = (
    frozenset(("log", "stream")),  # Docker
    frozenset(("logStreamName", "message")),  # CloudWatch
    frozenset(("line", "timestamp")),  # Grafana, Loki
    frozenset(("logName", "insertId")),  # Google Cloud
    frozenset(("MESSAGE", "__REALTIME_TIMESTAMP")),  # journald
    frozenset(("_raw",)),  # Splunk
)
_LOG_SIGNS = frozenset(("log", "logStreamName", "line", "logName", "MESSAGE", "_raw", "attributes"))
_TEXT_KEYS = ("log", "message", "line", "textPayload", "MESSAGE", "_raw")
_OBJECT_KEYS = ("jsonPayload", "attributes")


def unwrapped(document: Any, is_known: Callable[[Any], bool], *, depth: int = 0) -> list[Any]:
    """The documents in an envelope that no dialect recognizes; none if it is something else.

    Args:
        document: the envelope.
        is_known: whether a value is a document, which is not searched further.
        depth: the number of envelopes around it.
    """
    if depth and is_known(document):
        return [document]
    if isinstance(document, list):
        return _from_list(document, is_known, depth)
    is_searched = isinstance(document, dict) and depth < _MAX_DEPTH
    for value in _carried(document) if is_searched else ():
        found = unwrapped(value, is_known, depth=depth + 1)
        if found:
            return found
    return []


def _from_list(items: list[Any], is_known: Callable[[Any], bool], depth: int) -> list[Any]:
    if items and all(map(is_log_record, items)):
        values = [value for item in _oldest_first(items) for value in _logged(item)]
        return [values] if is_known(values) else [value for value in values if is_known(value)]
    is_searched = depth < _MAX_DEPTH
    inner = [unwrapped(item, is_known, depth=depth + 1) for item in items if is_searched]
    if not any(inner):
        return []
    # An item that is not known is not lost: it is reported.
    return [found for item, each in zip(items, inner, strict=True) for found in (each or [item])]


def _carried(document: dict[str, Any]) -> Iterator[Any]:
    """The values of an object that may be what it carries, the likeliest first."""
    lists = [key for key, value in document.items() if _is_list_of_records(value)]
    others = [key for key in lists if key not in _ABOUT]
    if len(others) == 1 and others[0] in _LIST_KEYS:
        yield document[others[0]]
    if not others:  # otherwise they are a document of their own
        for key in (*_RECORD_KEYS, *_LIST_KEYS):
            if isinstance(document.get(key), dict):
                yield document[key]


def _is_list_of_records(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(item, dict | list) for item in value[:_MAX_SAMPLED])
    )


# --- records of logs ----------------------------------------------------------------------------


class LogRecords:
    """Reads the values in the records of a log, one after another.

    Docker splits long lines: a text without a line break at its end goes on in the next record of the
    same stream.
    """

    def __init__(self) -> None:
        self._begun: dict[str, list[str]] = {}

    @property
    def is_waiting(self) -> bool:
        """Whether the next records may go on with a line."""
        return bool(self._begun)

    def take(self, record: Any) -> list[Any]:
        """The values in a record; none if it is text for people."""
        text, stream = at(record, "log"), at(record, "stream")
        if not isinstance(text, str) or not isinstance(stream, str):
            return _logged(record)
        self._begun.setdefault(stream, []).append(text)
        return _values_in("".join(self._begun.pop(stream))) if text.endswith("\n") else []

    def finish(self) -> list[Any]:
        """The values in lines that did not end."""
        left, self._begun = list(self._begun.values()), {}
        return [value for texts in left for value in _values_in("".join(texts))]


def is_log_record(value: Any) -> bool:
    """Whether it is a record of a log, which need not be a trace."""
    if isinstance(value, dict):
        if _LOG_SIGNS.isdisjoint(value):
            return False
        is_of_datadog = value.get("type") == "log" and isinstance(value.get("attributes"), dict)
        return is_of_datadog or any(keys <= value.keys() for keys in _LOG_KEYS)
    return _is_line_of_loki(value) or _is_row_of_insights(value)


def _is_line_of_loki(value: Any) -> bool:
    """Whether it is a pair of a time in nanoseconds and a line."""
    time = at(value, 0)
    return isinstance(time, str) and time.isdecimal() and isinstance(at(value, 1), str)


def _is_row_of_insights(value: Any) -> bool:
    """Whether it is a row of CloudWatch Logs Insights: a list of fields."""
    fields = dicts(value)
    return bool(fields) and all("field" in each and "value" in each for each in fields)


def _logged(record: Any) -> list[Any]:
    """The JSON value that was logged in a record, if it is one."""
    if isinstance(record, list):
        texts = [each["value"] for each in dicts(record) if each.get("field") == "@message"]
        text = at(record, 1) if _is_line_of_loki(record) else next(iter(texts), None)
        return _values_in(text) if isinstance(text, str) else []
    for key in _TEXT_KEYS:
        text = record.get(key)
        values = _values_in(text) if isinstance(text, str) else []
        if values:
            return values
    inner = next((record[key] for key in _OBJECT_KEYS if isinstance(record.get(key), dict)), None)
    return [] if inner is None else _logged(inner) or [inner]


def _values_in(text: str) -> list[Any]:
    """The JSON object in a text, which may have a time and a level before it."""
    start = -1
    for _ in range(_MAX_TRIED):
        start = text.find("{", start + 1)
        if start < 0:
            break
        try:
            return [decode_json(text[start:].rstrip())]
        except (ValueError, RecursionError):
            if text.startswith('{"', start):
                return []
    return []


def _oldest_first(items: list[Any]) -> list[Any]:
    """Records in the order of time: some services return the newest first."""
    times = [_time_of(item) for item in items]
    known = [time for time in times if time is not None]
    is_descending = len(known) == len(items) and known == sorted(known, reverse=True)
    return items[::-1] if is_descending and known[0] != known[-1] else items


def _time_of(item: Any) -> str | None:
    time = at(item, "timestamp") or at(item, "attributes", "timestamp") or at(item, 0)
    return time if isinstance(time, str) else None
