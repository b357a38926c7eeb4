"""A result as it is saved, and the same result with the same score again: nothing is compared a second time.

The calls of a score are those of its case; what is saved is which are paired and how they differ. Calls are saved with it
only if they are not the expected or the actual calls of the case: in groups, or if some do not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from operator import is_
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import astuple

from callscore.core.arguments import ArgumentCounts, Difference
from callscore.core.call import DecodedCalls, ToolCall
from callscore.core.case import Case, Expected, Forbidden, Group, Times, origin_in
from callscore.core.counted_calls import Ignored
from callscore.core.expectation_json import contains_rule_keys, expected_to_json
from callscore.core.nesting import leaves
from callscore.core.rendering import safe_repr
from callscore.core.results import Answer, Failure, Result, failure_kind
from callscore.core.rules import Matcher
from callscore.core.score import (
    SCHEMA_FAULTS,
    ComparedScore,
    Fault,
    Pair,
    Positions,
    Score,
    TurnScore,
    compared_pair,
    outcome_of,
    turn_count,
)
from callscore.core.summary import tool_outcomes
from callscore.errors import CallscoreError, InvalidCall
from callscore.history.plain_values import call_fields, exact_json, is_json
from callscore.history.records import ResultRecord, asked_digest, expectation_digest
from callscore.words.plain_data import call_to_dict
from callscore.words.value_text import json_safe

if TYPE_CHECKING:
    from callscore.core.settings import Settings

MAX_DIFFERENCES = 100  # a single call with a long list could have thousands

# The key of an expectation that only Python can express.
PYTHON_KEY = "python"

# The memory address of an object, which differs in every run.
_ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")
_MAX_DEPTH = 100

# As saved: numbers of any size stay numbers.
_exact = partial(json_safe, exact=True)


class SavedPair(Struct, frozen=True, gc=False):
    """A pair whose arguments are not all equal, by the positions of its calls.

    Attributes:
        counts: how many arguments match, were wanted, were given, and both wanted and given.
        differing: the names of the arguments that differ, if `differences` does not have all of them.
    """

    expected: int
    actual: int
    counts: ArgumentCounts
    differences: tuple[Difference, ...] = ()
    differing: tuple[str, ...] | None = None


class SavedScore(Struct, frozen=True, kw_only=True):
    """The score of a case as plain data; what is empty is left out.

    Attributes:
        equal: the number of leading calls that are correct and paired one by one.
        correct: the positions of the other correct pairs.
        incorrect: the pairs of the right tool with the wrong arguments.
        accepted: the correct pairs whose arguments are not all equal.
        expectation: the expectation, if it has groups or forbidden calls; True if it is that of the case.
        expected, actual: the calls that count, if they are not those of the case.

    The others are those of a `Score`.
    """

    equal: int = 0
    correct: tuple[Positions, ...] = ()
    forbidden: tuple[int, ...] = ()
    free: tuple[int, ...] = ()
    assumed_writes: tuple[str, ...] = ()
    faults: tuple[Fault, ...] | None = None
    turns: tuple[TurnScore, ...] = ()
    ignored: tuple[Ignored, ...] = ()
    incorrect: tuple[SavedPair, ...] = ()
    accepted: tuple[SavedPair, ...] = ()
    expected: tuple[ToolCall, ...] | UnsetType = UNSET
    expectation: bool | list[Any] = False
    actual: tuple[ToolCall, ...] | UnsetType = UNSET


# --- saving ---------------------------------------------------------------------------------------


def score_fields(score: Score | None, case: Case, payload: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a `ResultRecord` that come from a score."""
    if score is None:
        return {}
    return {
        "f1": score.f1,
        "counts": score_counts(score),
        "faults": None
        if score.faults is None
        else sum(fault.kind in SCHEMA_FAULTS for fault in score.faults),
        "turns": turn_count(score),
        "first_wrong_turn": score.first_wrong_turn,
        "tools": tool_outcomes(score),
        "comparison": save_score(score, case, payload),
    }


def score_counts(score: Score) -> tuple[int, ...]:
    """Correct, incorrect, missed, extra, expected, actual, forbidden."""
    correct, expected, actual, forbidden = outcome_of(score)
    incorrect = len(score.incorrect)
    paired = correct + incorrect
    extra = len(score.actual) - paired
    return correct, incorrect, expected - paired, extra, expected, actual, forbidden


def save_score(score: Score, case: Case, payload: Mapping[str, Any]) -> dict[str, Any]:
    """A score as the plain data of a `SavedScore`; `payload` is how its case is saved."""
    correct = () if score.has_equal_pairs else score.correct
    incorrect, left = _saved_pairs(score.incorrect, MAX_DIFFERENCES)
    accepted, _ = _saved_pairs([pair for pair in correct if not _is_equal(pair)], left)
    written = payload.get("expected") or ()
    wanted = () if case.expected is UNSET else case.expected or ()
    expectation: Any = False
    if score.expectation is not None:
        is_that = _is_written(score.expectation, wanted, written)
        expectation = is_that or score.expectation
    return plain_score(
        SavedScore(
            equal=score.equal_start,
            correct=score.other_correct,
            incorrect=incorrect,
            accepted=accepted,
            forbidden=score.forbidden,
            free=score.free,
            faults=score.faults,
            turns=score.turns,
            ignored=score.ignored,
            assumed_writes=score.assumed_writes,
            expectation=expectation,
            expected=UNSET if _is_written(score.expected, wanted, written) else score.expected,
            actual=UNSET if _is_same(score.actual, case.actual or ()) else score.actual,
        )
    )


def _saved_pairs(pairs: Iterable[Pair], left: int) -> tuple[tuple[SavedPair, ...], int]:
    """Pairs with the first of their differences; and how many more may be saved."""
    found = []
    for pair in pairs:
        differences = pair.differences
        differing = tuple(pair.differing_arguments) if len(differences) > left else None
        place = pair.expected_index, pair.actual_index
        found.append(SavedPair(*place, pair.counts, differences[:left], differing))
        left = max(left - len(differences), 0)
    return tuple(found), left


def _equal_counts(call: ToolCall) -> ArgumentCounts:
    """The counts of a pair in which every argument of the expected call is equal."""
    return ArgumentCounts(*[len(call.arguments or ())] * 4)


def _is_equal(pair: Pair) -> bool:
    is_any = pair.expected.arguments is None
    return is_any or (pair.counts == _equal_counts(pair.expected) and not pair.differences)


def _is_written(items: Sequence[Expected], wanted: Sequence[Any], written: Sequence[Any]) -> bool:
    """Whether these expected items can be read from the saved case, in which they are `written`."""
    is_same = _is_same(items, wanted)
    if is_same and wanted.__class__ is DecodedCalls:
        return True
    if any(PYTHON_KEY in item for item in written if isinstance(item, dict)):
        return False
    return is_same or [expected_payload(item) for item in items] == [*written]


def _is_same(items: Sequence[Any], others: Sequence[Any]) -> bool:
    return len(items) == len(others) and all(map(is_, items, others))


# A rule, and an object with such keys, so that they can be told from one another.
_RULE, _OBJECT = "$rule", "$object"


def plain_score(saved: SavedScore) -> dict[str, Any]:
    """A saved score as JSON from which it can be read again, but for what is neither a rule nor JSON.

    What is empty is left out.
    """
    fields = _set_fields(saved)
    if fields.keys() <= _POSITIONS:
        return fields
    plain: dict[str, Any] = _encoded(_without_structs(saved))
    return plain


_POSITIONS = frozenset(("equal", "correct", "forbidden", "free"))  # which hold only numbers


def _set_fields(value: Struct) -> dict[str, Any]:
    names, usual = _names_and_defaults(value.__class__)
    found = zip(names, astuple(value), usual, strict=True)
    return {name: each for name, each, default in found if each is not default}


@cache
def _names_and_defaults(kind: type[Struct]) -> tuple[tuple[str, ...], tuple[Any, ...]]:
    names, values = kind.__struct_fields__, kind.__struct_defaults__
    return names, (UNSET,) * (len(names) - len(values)) + values


def _without_structs(value: Any) -> Any:
    if isinstance(value, Struct) and not isinstance(value, Matcher):
        return {name: _without_structs(each) for name, each in _set_fields(value).items()}
    return [*map(_without_structs, value)] if isinstance(value, tuple) else value


def _encoded(value: Any, depth: int = 0) -> Any:
    if is_json(value, has_rules=False):
        return value
    if depth == _MAX_DEPTH or not isinstance(value, dict | list | tuple | Matcher):
        return without_addresses(_exact(value))
    inner = partial(_encoded, depth=depth + 1)
    if isinstance(value, list | tuple):
        return [*map(inner, value)]
    if isinstance(value, Matcher):
        members = [[_RULE, inner([value.key, value.value, value.options])]]
    else:
        members = [[*_exact({key: None}), inner(member)] for key, member in value.items()]
        if any(key[:1] == "$" for key, _ in members):
            members = [[_OBJECT, members]]
    return dict(members)


def calls_payload(calls: Iterable[ToolCall]) -> list[dict[str, Any]]:
    """Calls as plain data, with numbers of any size; what is JSON already is not copied."""
    if calls.__class__ is DecodedCalls:  # without looking at each value
        return [{"name": call.name, "arguments": call.arguments} for call in calls]
    return [call_fields(call) or call_to_dict(call, exact=True) for call in calls]


def expected_payload(item: Any) -> Any:
    """An expected item as in a case file; its `repr` if only Python can express it."""
    if item.__class__ is ToolCall:
        spelled = call_fields(item, has_rules=False)
        if spelled is not None:
            return spelled
    try:
        spelled = expected_to_json(item)
        if not any(
            is_object(each) and _ADDRESS.search(safe_repr(each)) for each in leaves(spelled)
        ):
            return exact_json(spelled)
    except (InvalidCall, RecursionError):
        pass
    return {PYTHON_KEY: without_addresses(_exact(safe_repr(item)))}


def is_object(value: Any) -> bool:
    """Whether a value is neither a rule nor plain data."""
    return not isinstance(value, str | int | float | dict | list | tuple | Matcher | None)


def without_addresses(text: Any) -> Any:
    """A text without memory addresses; any other value as it is."""
    return _ADDRESS.sub("", text) if isinstance(text, str) else text


# --- reading --------------------------------------------------------------------------------------


_READ_ERRORS = (CallscoreError, ValueError, LookupError, TypeError, RecursionError)


def read_saved(plain: Mapping[str, Any] | None) -> SavedScore | None:
    """What `plain_score` has written; None if it is nothing, or something else."""
    with suppress(*_READ_ERRORS):
        return None if plain is None else msgspec.convert(_decoded(plain), SavedScore, strict=False)
    return None


def read_score(
    saved: Mapping[str, Any] | None,
    payload: Mapping[str, Any],
    calls: Sequence[ToolCall],
    settings: Settings,
) -> Score | None:
    """The score again; None if nothing, or something else, is saved.

    `payload` is the case as it is saved, and `calls` are the actual ones.
    """
    with suppress(*_READ_ERRORS):
        kept = read_saved(saved)
        return None if kept is None else _read_score(kept, payload, calls, settings)
    return None


def _read_score(
    saved: SavedScore, payload: Mapping[str, Any], calls: Sequence[ToolCall], settings: Settings
) -> Score:
    written: tuple[Any, ...] = ()
    if saved.expected is UNSET or saved.expectation is True:
        from callscore.formats.case_sides import read_expected_side  # most commands read no score

        items = payload.get("expected") or []
        written = read_expected_side(items, where="expected", spelled=True)
    expectation: Any = written if saved.expectation is True else None
    if isinstance(saved.expectation, list):
        expectation = tuple(map(_read_expected, saved.expectation))
    expected: Any = written if saved.expected is UNSET else saved.expected
    actual = tuple(calls) if saved.actual is UNSET else saved.actual
    if saved.equal > min(len(expected), len(actual)):
        raise ValueError("more pairs than calls")

    def pair_of(each: SavedPair, *, is_correct: bool) -> Pair:
        wanted, made = expected[each.expected], actual[each.actual]
        pair = Pair(wanted, made, each.expected, each.actual, is_correct, settings)
        return compared_pair(pair, each.counts, each.differences, each.differing)

    accepted = {each.expected: each for each in saved.accepted}
    start = range(saved.equal)
    correct = [
        pair_of(
            accepted.get(row) or SavedPair(row, column, _equal_counts(expected[row])),
            is_correct=True,
        )
        for row, column in (*zip(start, start, strict=True), *saved.correct)
    ]
    return ComparedScore(
        expected=expected,
        actual=actual,
        equal_start=saved.equal,
        other_correct=saved.correct,
        incorrect=tuple([pair_of(each, is_correct=False) for each in saved.incorrect]),
        settings=settings,
        forbidden=saved.forbidden,
        ignored=saved.ignored,
        faults=saved.faults,
        expectation=expectation,
        turns=saved.turns,
        free=saved.free,
        assumed_writes=saved.assumed_writes,
        correct_pairs=tuple(correct),
    )


def read_calls(calls: Any) -> tuple[ToolCall, ...]:
    """Actual calls; empty if they are not valid."""
    try:
        return tuple(msgspec.convert(calls or (), list[ToolCall], strict=False))
    except msgspec.ValidationError:
        return ()


def _read_expected(item: Any) -> Any:
    if "members" in item:
        return Group(item["kind"], tuple(map(_read_expected, item["members"])))
    if "call" in item:
        return msgspec.convert(item, Times)
    return msgspec.convert(item, Forbidden if "pattern" in item else ToolCall, strict=False)


def _decoded(value: Any) -> Any:
    """The value that `_encoded` has written."""
    if not contains_rule_keys(value):
        return value
    if isinstance(value, list | tuple):
        return [_decoded(member) for member in value]
    if _RULE in value:
        key, *parts = value[_RULE]
        return Matcher(key, *map(_decoded, parts))
    members = value[_OBJECT] if _OBJECT in value else value.items()
    return {key: _decoded(member) for key, member in members}


# --- results as records, and records as results ---------------------------------------------------


def saved_result(
    result: Result, case: Case, payload: dict[str, Any], **fields: Any
) -> ResultRecord:
    """A result as it is saved, with these other fields.

    `case` is the case of the result, and `payload` is how it is saved: scorers may have changed that of the
    result.
    """
    answer, failure = result.answer, result.failure
    calls = None if case.actual is None else calls_payload(case.actual)
    fields["answer"] = calls  # of a file, so that it can be scored again
    if answer is not None:
        fields |= {
            "answer": answer.document,
            "seconds": answer.seconds,
            "usage": answer.usage,
            "attempts": answer.attempts,
            "is_reused": answer.is_reused,
        }
    if failure is not None:
        fields |= {"failure": (failure.kind, failure.problem), "attempts": failure.attempts}
    return ResultRecord(
        case=case.id,
        status=result.status,
        payload=payload,
        expectation=expectation_digest(payload),
        asked=asked_digest(payload),
        calls=calls,
        passed=result.passed,
        **fields,
        **score_fields(result.score, case, payload),
    )


def stored_score(record: ResultRecord, settings: Settings) -> Score | None:
    """The score of a result as it was stored; None if there is none, or it cannot be read."""
    return read_score(record.comparison, record.payload, read_calls(record.calls), settings)


def stored_result(record: ResultRecord, settings: Settings, *, has_trials: bool = True) -> Result:
    """A result with everything that is stored; what was expected is as a case file has it.

    Without `has_trials`, the only trial of a case has no number.
    """
    trial, failure = record.trial if has_trials else None, None
    if record.failure is not None:
        kind, problem = record.failure
        failure = Failure(
            case=record.case,
            kind=failure_kind(kind),
            problem=problem,
            trial=trial,
            attempts=record.attempts,
        )
    payload = record.payload
    tags, expected = payload.get("tags"), payload.get("expected")
    return Result(
        case=Case(
            payload.get("input"),
            id=record.case,
            trial=trial,
            expected=expected if isinstance(expected, list) else UNSET,
            actual=read_calls(record.calls),
            tags=[str(tag) for tag in tags] if isinstance(tags, list) else (),
            metadata=payload.get("metadata"),
            origin=origin_in(payload.get("origin")),
        ),
        status=record.status,
        answer=Answer(
            document=record.answer,
            seconds=record.seconds,
            usage=record.usage,
            attempts=record.attempts,
            is_reused=record.is_reused,
        ),
        score=stored_score(record, settings),
        values=record.values,
        passed=record.passed,
        failure=failure,
        saved=record.score_counts,
    )
