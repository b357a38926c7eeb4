"""The inputs of the tools that read the history: each field is described once, and read by that."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from callscore.comparing.gating import FAIL_ON
from callscore.core.suggestions import suggestion_or_choices
from callscore.errors import InvalidCall
from callscore.formats.shape import describe
from callscore.integrations.inputs import require_bounded

MOST_LISTED = 100  # runs, cases, changes or trials in one answer
FURTHEST = 100_000
LONGEST = 1_000  # characters of a name

_RUN = (
    " An id or the beginning of one, a name, a baseline such as main, latest, latest~1 (the one before), or a"
    " git commit; RUN:VARIANT for one variant."
)


class Field(Struct, frozen=True, kw_only=True):
    """One field of an input.

    Attributes:
        default: None if it is required.
        about: its description, for a model.
        choices: the values that it may have; empty for any text.
        bounds: the least and the largest number.
    """

    default: str | int | None = None
    about: str
    choices: tuple[str, ...] = ()
    bounds: tuple[int, int] = (0, 0)

    @property
    def is_number(self) -> bool:
        """Whether it is an integer, and not a text."""
        return self.bounds[1] > 0


def _limit(default: int, what: str) -> Field:
    return Field(
        default=default,
        bounds=(1, MOST_LISTED),
        about=f"How many {what} to return: at most {MOST_LISTED}, by default {default}.",
    )


_OFFSET = Field(
    default=0,
    bounds=(0, FURTHEST),
    about="How many to leave out first: next_offset of the answer before, for the next page.",
)
_MEASURE = Field(
    default="passed",
    about="What decides the verdict: passed (the default), f1, or the name of a scorer.",
)
_AFTER = Field(default="latest", about=f"The run to look at; by default the newest.{_RUN}")

LIST_FIELDS = {
    "limit": _limit(20, "runs"),
    "offset": _OFFSET,
    "tag": Field(default="", about="Only the cases with this tag are counted."),
    "keyword": Field(
        default="",
        about="Only evaluations and variants whose names match, such as 'weather and not slow'.",
    ),
}
RUN_FIELDS = {
    "run": _AFTER,
    "show": Field(
        default="failing",
        choices=("failing", "all"),
        about="Which cases to list: failing (the default; also those without an answer), or all.",
    ),
    "keyword": Field(default="", about="Only evaluations, variants and cases whose names match."),
    "limit": _limit(20, "cases"),
    "offset": _OFFSET,
}
CASE_FIELDS = {
    "case": Field(about="The id of the case, or evaluation::id if several evaluations have it."),
    "run": _AFTER,
    "limit": _limit(3, "trials"),
    "offset": _OFFSET,
}
COMPARE_FIELDS = {
    "before": Field(default="main", about=f"The first run; by default the baseline main.{_RUN}"),
    "after": Field(default="latest", about="The second run, likewise; by default the newest."),
    "measure": _MEASURE,
    "limit": _limit(20, "changed cases"),
    "offset": _OFFSET,
}
GATE_FIELDS = {
    "run": _AFTER,
    "against": Field(default="main", about="The baseline or run to compare with; by default main."),
    "fail_on": Field(
        default="default",
        choices=FAIL_ON,
        about="default: worse than chance explains, or cases broke and none was fixed. broken: any case"
        " that passed before and fails now. regressed: worse than chance explains. any: any difference.",
    ),
    "measure": _MEASURE,
    "limit": _limit(20, "changed cases"),
    "offset": _OFFSET,
}


def input_schema(fields: dict[str, Field]) -> dict[str, Any]:
    """The JSON Schema of an input."""
    return {
        "type": "object",
        "properties": {name: _field_schema(field) for name, field in fields.items()},
        "required": [name for name, field in fields.items() if field.default is None],
        "additionalProperties": False,
    }


def _field_schema(field: Field) -> dict[str, Any]:
    if field.is_number:
        least, most = field.bounds
        return {"type": "integer", "minimum": least, "maximum": most, "description": field.about}
    choices = {"enum": [*field.choices]} if field.choices else {}
    return {"type": "string", **choices, "description": field.about}


def read_fields(arguments: Any, fields: dict[str, Field]) -> dict[str, Any]:
    """All fields of an input, those that are absent or null with their defaults.

    Raises:
        InvalidCall: a field is missing, unknown, or has an invalid value.
    """
    if not isinstance(arguments, dict):
        names = ", ".join(fields)
        raise InvalidCall(f"expected an object with {names}, got {describe(arguments)}.")
    require_bounded(arguments)
    for name in arguments:
        if name not in fields:
            raise InvalidCall(
                f"unknown field {describe(name)}{suggestion_or_choices(name, fields)}"
            )
    return {name: _value(name, field, arguments.get(name)) for name, field in fields.items()}


def _value(name: str, field: Field, given: Any) -> Any:
    if given is None:
        if field.default is None:
            raise InvalidCall(f"{name}: missing. {field.about}")
        return field.default
    if field.is_number:
        return _number(name, field, given)
    if not isinstance(given, str):
        raise InvalidCall(f"{name}: expected text, got {describe(given)}. {field.about}")
    if len(given) > LONGEST:
        raise InvalidCall(f"{name}: the text is too long: the limit is {LONGEST:,} characters.")
    if field.choices and given not in field.choices:
        hint = suggestion_or_choices(given, field.choices)
        raise InvalidCall(f"{name}: unknown value {describe(given)}{hint}")
    return given


def _number(name: str, field: Field, given: Any) -> int:
    """An integer within the bounds; some models send it as text, or as 20.0."""
    least, most = field.bounds
    number = given
    if (
        isinstance(given, str)
        and given.isascii()
        and given.isdigit()
        and len(given) < len(str(most)) + 1
    ):
        number = int(given)
    if isinstance(given, float) and given.is_integer():
        number = int(given)
    is_whole = isinstance(number, int) and not isinstance(number, bool)
    if not is_whole or not least <= number <= most:
        problem = f"expected an integer from {least} to {most:,}, got {describe(given)}"
        raise InvalidCall(f"{name}: {problem}. {field.about}")
    return int(number)
