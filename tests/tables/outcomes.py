"""The outcome of a score as a row has it: short, and without what is as usual.

Numbers are rounded to six digits. These keys are compared whenever they are not as usual:

- `f1`; `precision`, `recall` and `tool_selection` if they differ from it; `argument_accuracy`
- `pairs`: `0=2` is a correct pair of the first expected and the third actual call, `1~0:0.5` an
  incorrect one with its overlap
- `missed`, `extra`: names of tools; `forbidden`: positions of actual calls
- `ignored`: side, tool and reason; `faults`: of the calls; `turns`: the four counts of each
- `reasons`: path, kind, closeness and sentence of each difference, those of correct pairs first

Others are compared where a row has them: see `DETAILS`. `says` and `says_ru` are some lines of an
explanation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec
from tests.tables.rows import same

from callscore import expect, score

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from callscore import Difference, Fault, Score

INPUTS = ("preset", "tools", "callers", "expected_state", "actual_state")
SAYING: dict[str, Literal["en", "ru"]] = {"says": "en", "says_ru": "ru"}
REASON_INDENT = " " * 6  # of reasons in an explanation


def scored(row: dict[str, Any], **others: Any) -> Score:
    """The score of the calls in a row."""
    given = {name: row[name] for name in INPUTS if name in row}
    expected = row.get("expected")
    if expected is not None:
        expected = expect.from_json(expected)
    return score(expected, row["actual"], **given, **row.get("settings", {}), **others)


def differing(row: dict[str, Any], found: Score) -> str:
    """How a score differs from what a row wants; empty if it does not."""
    want = row["want"]
    got = outcome(found)
    got |= {name: detail(found) for name, detail in DETAILS.items() if name in want}
    for name, lang in SAYING.items():
        if name in want:
            said = found.explain(lang=lang).splitlines()
            got[name] = [line for line in want[name] if line in said]
    return "; ".join(
        f"{name}: expected {_shown(want, name)}, got {_shown(got, name)}"
        for name in {**want, **got}
        if not same(want.get(name), got.get(name))
    )


def _shown(values: dict[str, Any], name: str) -> str:
    """As a row would have it."""
    return msgspec.json.encode(values[name]).decode() if name in values else "nothing"


def outcome(found: Score) -> dict[str, Any]:
    """What is compared of each score, without what is as usual."""
    usual = {"precision": found.f1, "recall": found.f1, "tool_selection": found.f1}
    rates = {name: getattr(found, name) for name in usual}
    values = {
        **{name: rate for name, rate in rates.items() if rate != usual[name]},
        "argument_accuracy": found.argument_accuracy,
        "pairs": " ".join(_pairs(found)),
        "missed": [call.name for call in found.missed],
        "extra": [call.name for call in found.extra],
        "forbidden": list(found.forbidden),
        "ignored": [f"{item.side} {item.call.name}: {item.why}" for item in found.ignored],
        "faults": fault_lines(found.faults or ()),
        "turns": [
            [each.correct, each.expected, each.actual, each.forbidden] for each in found.turns
        ],
        "reasons": [
            difference_line(each)
            for pair in (*found.correct, *found.incorrect)
            for each in pair.differences
        ],
    }
    kept = {name: value for name, value in values.items() if value not in (None, "", [])}
    return {name: rounded(value) for name, value in {"f1": found.f1, **kept}.items()}


def _pairs(found: Score) -> Iterator[str]:
    for pair in (*found.correct, *found.incorrect):
        place = "=".join((str(pair.expected_index), str(pair.actual_index)))
        yield place if pair.is_correct else f"{place.replace('=', '~')}:{rounded(pair.overlap)}"


def difference_line(found: Difference) -> str:
    """A difference on one line."""
    closeness = f" {rounded(found.closeness)}" if found.closeness else ""
    return f"{found.path} {found.kind}{closeness}: {found.reason}"


def fault_lines(faults: Iterable[Fault]) -> list[str]:
    """Faults, one line each: the position of the call, the path, the kind and the sentence."""
    return [f"{each.index} {each.path} {each.kind}: {each.reason}" for each in faults]


def rounded(value: Any) -> Any:
    """The value with all its numbers rounded to six digits."""
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, dict):
        return {key: rounded(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(item) for item in value]
    return value


def reasons_in_russian(found: Score) -> list[str]:
    """The differences of the incorrect pairs as an explanation in Russian has them."""
    lines = found.explain(lang="ru").splitlines()
    return [line.strip() for line in lines if line.startswith(REASON_INDENT)]


# What is compared if a row has it.
DETAILS: dict[str, Callable[[Score], Any]] = {
    "assumed_writes": lambda found: list(found.assumed_writes),
    "passed": lambda found: found.passed,
    "rating": lambda found: found.rating,
    "is_exact": lambda found: found.is_exact,
    "tool_called": lambda found: found.tool_called,
    "parameters_valid": lambda found: rounded(found.parameters_valid),
    "turn_mean": lambda found: rounded(found.turn_mean),
    "turn_min": lambda found: rounded(found.turn_min),
    "first_wrong_turn": lambda found: found.first_wrong_turn,
    "summary": lambda found: found.summary,
    "reasons_ru": reasons_in_russian,
    "text": lambda found: str(found).splitlines(),
    "explanation": lambda found: found.explain().splitlines(),
    "explanation_ru": lambda found: found.explain(lang="ru").splitlines(),
    "data": lambda found: rounded(found.to_dict()),
    "camel": lambda found: rounded(found.to_dict(style="camel")),
}
