"""Configurations of BFCL: `parallel(no order)`, `parallel, all params optional`, `simple(one call)` ...

`possible answers, parallel` and the like ask about random documents and possible answers, made of
the expected calls by `tests/parity/bfcl_tasks.py`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tests.parity.bfcl_tasks import task_for

from callscore.parity import bfcl

if TYPE_CHECKING:
    from tests.parity.configuration import Calls, Measure

__all__ = ["measure_for"]

_FORM = re.compile(r"(possible answers, )?(simple|multiple|parallel)\b(?:\([^)]*\))?(.*)")
_OPTIONAL = re.compile(r", all params optional")


def measure_for(configuration: str) -> Measure | None:
    """What gives the number of this configuration; None where it is not known."""
    match = _FORM.fullmatch(configuration)
    if match is None:
        return None
    has_answers, category, more = match.groups()
    if has_answers and not more:
        return _with_answers(category)
    is_optional = _OPTIONAL.fullmatch(more) is not None
    return _plain(category, is_optional) if is_optional or not more else None


def _with_answers(category: str) -> Measure:
    def measure(expected: Calls, actual: Calls) -> Any:
        functions, answers = task_for(expected, actual)
        return _as_recorded(bfcl.ast_check(functions, actual, answers, test_category=category))

    return measure


def _plain(category: Any, is_optional: bool) -> Measure:
    def measure(expected: Calls, actual: Calls) -> Any:
        return _as_recorded(
            bfcl.check(expected, actual, test_category=category, optional=is_optional)
        )

    return measure


def _as_recorded(check: bfcl.Check) -> dict[str, Any]:
    return {"valid": check.valid, "error_type": check.error_type}
