"""The success label of a run: where it is in a document, and what its value means."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from callscore.core.rendering import mention
from callscore.errors import InvalidSettings
from callscore.formats.case_fields import JSONPath, parse_json_path
from callscore.formats.shape import describe

_SUCCESS: Final = frozenset(
    (
        *("1", "correct", "ok", "pass", "passed", "resolved", "solved", "succeeded", "success"),
        *("successful", "true", "y", "yes"),
    )
)
_FAILURE: Final = frozenset(
    (
        *("0", "error", "fail", "failed", "failure", "false", "incorrect", "n", "no", "unresolved"),
        *("unsolved", "unsuccessful", "wrong"),
    )
)
_METADATA: Final = "metadata"


def is_success(
    value: Any, at_least: float | None = None, *, option: str = "label_at_least"
) -> bool | None:
    """Whether a label says that the task was done; None for null.

    With `at_least`, a number is a success from that number on; `option` is how it is passed.

    Raises:
        InvalidSettings: the value is neither clearly a success nor clearly a failure.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float) and not math.isnan(value):
        if at_least is not None:
            return value >= at_least
        if value in (0, 1):
            return value == 1
        raise InvalidSettings(
            f"the label {mention(value)} is neither 1 nor 0. Pass the number from which a run succeeded"
            f" as {option}"
        )
    word = value.strip().casefold() if isinstance(value, str) else ""
    if word in _SUCCESS or word in _FAILURE:
        return word in _SUCCESS
    raise InvalidSettings(
        f"the label must be true or false, 1 or 0, or a word such as 'success' or 'failure'; got"
        f" {describe(value)}"
    )


class LabelPath(NamedTuple):
    """The path to the label, as a user writes it: `success`, `reward_info.reward`, `$.runs[*].ok`."""

    path: JSONPath

    @classmethod
    def parse(cls, text: str) -> LabelPath:
        """The path of a text.

        Raises:
            InvalidSettings: it is not a path.
        """
        found = parse_json_path(text)
        if not found.steps:
            raise InvalidSettings(f"the path {mention(text)} of the label names no field")
        return cls(found)

    def find(self, document: Any, index: int = 0, count: int = 1) -> Any:
        """The label of one of the `count` runs in a document; None if there is none.

        It is in the document of the run, or in its `metadata`. If a document has many runs, the label
        is in the item of the run: of the document itself, or of the only list in it whose items have
        labels.
        """
        if self.path.is_many:
            return _at(self.path.find(document), index)
        found = self._in_record(document) if count == 1 or isinstance(document, dict) else []
        if found:
            return found[0]
        if isinstance(document, list):
            return self._in_items(document, index, count)
        lists = document.values() if isinstance(document, dict) else ()
        labelled = [items for items in lists if isinstance(items, list) and self._has_labels(items)]
        return self._in_items(labelled[0], index, count) if len(labelled) == 1 else None

    def is_in(self, document: Any) -> bool:
        """Whether any record of a document has the field, whatever its value."""
        if self.path.is_many:
            return bool(self.path.find(document))
        return any(self._in_record(record) for record in _records(document))

    def _in_record(self, record: Any) -> list[Any]:
        found = self.path.find(record)
        if not found and isinstance(record, dict):
            found = self.path.find(record.get(_METADATA))
        return found

    def _has_labels(self, items: list[Any]) -> bool:
        return any(self._in_record(item) for item in items)

    def _in_items(self, items: list[Any], index: int, count: int) -> Any:
        if count == 1 and len(items) > 1:  # the lines of one run
            return _at([found for item in items for found in self._in_record(item)], -1)
        records = [item for item in items if isinstance(item, dict)]
        return _at(self._in_record(_at(records, index)), 0)


def _at(values: list[Any], index: int) -> Any:
    return values[index] if -len(values) <= index < len(values) else None


def field_names(document: Any, count: int = 1) -> Iterator[str]:
    """The fields that the records of the `count` runs in a document have, as paths to a label."""
    # In the record of one run, lists have its calls or messages.
    records = [document] if count == 1 and isinstance(document, dict) else _records(document)
    for record in records:
        inside = record.get(_METADATA)
        for name, value in record.items():
            yield str(name)
            yield from [f"{name}.{inner}" for inner in value] if isinstance(value, dict) else ()
        yield from map(str, inside if isinstance(inside, dict) else ())


def _records(document: Any) -> list[dict[Any, Any]]:
    """The document itself, and the items of its lists."""
    lists = document.values() if isinstance(document, dict) else ()
    found = [document] if not isinstance(document, list) else document
    items = [item for value in lists if isinstance(value, list) for item in value]
    return [record for record in (*found, *items) if isinstance(record, dict)]
