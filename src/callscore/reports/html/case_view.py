"""One case as a report on a page shows it: aligned calls, reasons, and what the list and the filters need.

`static/types.d.ts` describes the JSON of these values.
"""

from __future__ import annotations

import re
from ast import literal_eval
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec
from msgspec import UNSET, Struct, UnsetType

from callscore.core.call import ToolCall
from callscore.core.case import is_state
from callscore.core.counted_calls import forbidden_patterns, forbidding_pattern
from callscore.core.phrases import Language, Phrase, say
from callscore.core.results import Answer, Failure, MetricValue, Result
from callscore.core.score import Fault, Pair, Score, turn_passes
from callscore.reports.run import FAILURE_KINDS
from callscore.reports.score import CALL_COUNTS
from callscore.words.case_json import call_part, expected_part, value_part
from callscore.words.diff import FAULT, FAULT_IN_TRACE
from callscore.words.explanation import (
    NO_ACTUAL_CALL,
    explain,
    extra_reason,
    ignored_notes,
)
from callscore.words.plain_data import value_to_dict
from callscore.words.reasons import difference_reason, fault_kind_name, fault_sentence
from callscore.words.turns import call_blocks, has_blocks, joined_note, state_word, turn_word
from callscore.words.unpaired import UnpairedReasons, explain_unpaired, misplaced_calls, missed_note
from callscore.words.value_text import (
    assumed_notes,
    call_counts,
    has_meaningful_precision,
    json_safe,
    shown_rating,
)

if TYPE_CHECKING:
    from callscore.core.arguments import Difference

Status = Literal["passed", "failed", "error", "unscored"]
STATUSES: tuple[Status, ...] = ("passed", "failed", "error", "unscored")
_STATUS_OF_PASSED: dict[bool | None, Status] = {True: "passed", False: "failed", None: "unscored"}
_MOST_FAULTS = 200
# The first step of a JSON path: a name, or one in brackets that is written as text.
_FIRST_STEP = re.compile(
    r"""\$(?:\.([^.\[]+)|\[('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")\])""", re.DOTALL
)
_ABOUT = 160  # characters of the input that the search covers

_FORBIDDEN_BY = Phrase(
    "forbidden by {pattern}: the score of the case is 0",
    "запрещён правилом {pattern}: оценка случая — 0",
)


class Row(Struct, frozen=True, gc=False):
    """A line of the aligned diff: one call, or a pair of calls."""

    mark: Literal["=", "~", "-", "+", "!"]
    expected: Any = UNSET
    actual: Any = UNSET
    expected_index: int | UnsetType = UNSET
    actual_index: int | UnsetType = UNSET
    differences: list[Any] | UnsetType = UNSET
    notes: list[str] | UnsetType = UNSET
    turn: int | UnsetType = UNSET  # from 1


class TurnView(Struct, frozen=True, gc=False):
    """A turn of the user: its number from 1, whether it passed, and what its title says besides."""

    number: int
    passed: bool
    word: str = ""


class CaseView(Struct, frozen=True, gc=False, kw_only=True):
    """One trial of a case: all that its detail shows. What is unset is not written."""

    id: Any
    trial: Any = None
    tags: Any = ()
    evaluation: str | UnsetType = UNSET
    status: Status
    score: float | None = None
    precision: float | None = None
    recall: float | None = None
    rating: str | None = None
    summary: str = ""
    rows: list[Row] = []
    turns: list[TurnView] | UnsetType = UNSET
    first_wrong_turn: int | UnsetType = UNSET
    state: str | UnsetType = UNSET  # how the state at the end compares, which is the last row
    ignored: list[Any] | UnsetType = UNSET
    notes: list[str] | UnsetType = UNSET
    explanation: str | UnsetType = UNSET
    expectation: Any = UNSET
    input: Any = UNSET
    answer: Any = UNSET
    metadata: Any = UNSET
    values: list[Any] | UnsetType = UNSET
    failure: dict[str, Any] | UnsetType = UNSET
    seconds: float | UnsetType = UNSET
    usage: Any = UNSET
    command: str | UnsetType = UNSET


class Problem(Struct, frozen=True, gc=False, array_like=True):
    """Why a case lost points. `kind` is the failure class; `detail` that of an error or a fault.

    `called` is the tool that was called in place of `tool`, and `title` the name of `detail`.
    """

    kind: str
    tool: str | None = None
    argument: str | None = None
    called: str | None = None
    detail: str | None = None
    title: str | None = None


class IndexRow(Struct, frozen=True, gc=False, array_like=True):
    """What the list and the filters know of one trial of a case."""

    id: str
    trial: int | str | None
    status: Status
    score: float | None
    tags: tuple[str, ...]
    tools: tuple[str, ...]
    problems: tuple[Problem, ...]
    about: str = ""
    evaluation: int = 0
    seconds: float | None = None
    turn: int | None = None  # the first that did not pass


_encode = msgspec.json.Encoder().encode


def encode_view(view: CaseView) -> bytes:
    """A view as JSON on one line."""
    try:
        return _encode(view)
    except UnicodeEncodeError:  # half of a surrogate pair
        return _encode(json_safe(msgspec.to_builtins(view)))


# --- views ----------------------------------------------------------------------------------------


def view_of_case(case: Result, lang: Language = "en", *, command: str = "") -> CaseView:
    """The view of a scored case of a file."""
    return _checked_view(
        case.required_score,
        lang,
        id=case.id,
        trial=case.trial,
        tags=case.tags,
        status=_STATUS_OF_PASSED[case.required_score.passed],
        input=_or_unset(case.input),
        values=_values(case.values),
        command=command or UNSET,
    )


def view_of_result(
    result: Result, lang: Language = "en", *, evaluation: str = "", command: str = ""
) -> CaseView:
    """The view of a result: from an agent, or from the history."""
    case, answer = result.case, result.answer or Answer()
    fields: dict[str, Any] = {
        "id": case.id,
        "trial": case.trial,
        "tags": tuple(case.tags),
        "evaluation": evaluation or UNSET,
        "status": status_of(result),
        "input": _or_unset(case.input),
        "answer": _or_unset(_answer_text(answer.document)),
        "metadata": case.metadata or UNSET,
        "values": _values(result.values),
        "failure": UNSET if result.failure is None else _failure(result.failure, lang),
        "seconds": answer.seconds or UNSET,
        "usage": answer.usage if answer.usage.requests else UNSET,
        "command": command or UNSET,
    }
    if result.score is not None:
        return _checked_view(result.score, lang, **fields)
    made = enumerate(case.actual or ())
    rows = [Row("+", actual=call_part(call), actual_index=at) for at, call in made]
    return _safe_view(CaseView(rows=rows, **fields))


def status_of(result: Result) -> Status:
    """Whether a result passed, failed, has no answer, or no score."""
    if result.status == "error" or result.failure is not None:
        return "error"
    return _STATUS_OF_PASSED[result.passed]


def _or_unset(value: Any) -> Any:
    return UNSET if value is None else value


def _values(values: Sequence[MetricValue]) -> Any:
    return [value_to_dict(value) for value in values] if values else UNSET


def _failure(failure: Failure, lang: Language) -> dict[str, Any]:
    return {
        "kind": failure.kind,
        "title": say(FAILURE_KINDS[failure.kind], lang),
        "problem": failure.problem,
        "details": failure.details,
        "attempts": failure.attempts,
    }


def _answer_text(document: Any) -> Any:
    """The text of an answer in a chat format; the whole answer if it has no text."""
    if isinstance(document, dict):
        if isinstance(document.get("content"), str) and document["content"]:
            return document["content"]
        if isinstance(document.get("output_text"), str) and document["output_text"]:
            return document["output_text"]
    if isinstance(document, list) and document and isinstance(document[-1], dict):
        last = document[-1].get("content")
        if document[-1].get("role") == "assistant" and isinstance(last, str) and last:
            return last
    return document


def _checked_view(score: Score, lang: Language, **fields: Any) -> CaseView:
    """A view whose values any encoder writes."""
    return _safe_view(_score_view(score, lang, fields))


def _safe_view(view: CaseView) -> CaseView:
    """The same with plain data in place of what an encoder would not write as it is."""
    changed: dict[str, Any] = {}
    for name in ("id", "trial", "tags", "input", "answer", "metadata", "failure"):
        value = getattr(view, name)
        if value is not UNSET and value is not None and value != ():
            changed[name] = value_part(value)
    return msgspec.structs.replace(view, **changed)


def _score_view(score: Score, lang: Language, fields: dict[str, Any]) -> CaseView:
    is_failed = fields["status"] == "failed"
    return CaseView(
        score=score.score,
        precision=score.precision if has_meaningful_precision(score.settings) else None,
        recall=score.recall,
        rating=shown_rating(score, is_failed=is_failed, lang=lang),
        summary=say(CALL_COUNTS, lang, **call_counts(score)),
        rows=rows_of(score, lang),
        turns=_turns(score, lang),
        first_wrong_turn=_or_unset(score.first_wrong_turn),
        state=state_word(score, lang) if any(map(is_state, score.expected[-1:])) else UNSET,
        ignored=_ignored(score),
        notes=_notes(score, lang),
        explanation=explain(score, lang=lang, is_failed=is_failed),
        expectation=UNSET
        if score.expectation is None
        else [expected_part(item) for item in score.expectation],
        **fields,
    )


def _turns(score: Score, lang: Language) -> Any:
    mark = score.settings.pass_mark
    return [
        TurnView(turn.number, turn_passes(turn, mark), turn_word(turn, score, lang))
        for turn in score.turns
    ] or UNSET


def _ignored(score: Score) -> Any:
    if not score.ignored:
        return UNSET
    return [
        {
            "side": each.side,
            "why": each.why,
            "call": (expected_part if each.side == "expected" else call_part)(each.call),
        }
        for each in score.ignored
    ]


def _notes(score: Score, lang: Language) -> Any:
    """What does not count, and what the schemas find."""
    joined = joined_note(score, lang)
    notes = [] if joined is None else [joined]
    notes += ignored_notes(score, lang) if score.ignored else []
    notes += assumed_notes(score.assumed_writes, lang)
    if score.faults:
        is_whole = all(ignored.side == "expected" for ignored in score.ignored)
        phrase = FAULT if is_whole else FAULT_IN_TRACE
        notes += [
            say(phrase, lang, j=fault.index + 1, fault=fault_sentence(fault, lang=lang))
            for fault in islice(score.faults, _MOST_FAULTS)
        ]
    return notes or UNSET


# --- aligned calls --------------------------------------------------------------------------------


def rows_of(score: Score, lang: Language) -> list[Row]:
    """The calls in expected order, with extra calls where they happened."""
    start, columns, pairs = _pairs_by_position(score)
    expected, actual = score.expected, score.actual
    if has_blocks(score):
        columns, start = columns | {at: at for at in range(start)}, 0
    rows = [_equal_row(expected[at], actual[at], at, at) for at in range(start)]
    if start == len(expected) == len(actual):
        return rows
    reasons = explain_unpaired(score, lang)
    paired = set(columns.values())
    extra = [column for column in range(start, len(actual)) if column not in paired]
    compared = _Compared(score, columns, pairs, reasons, lang)
    if not has_blocks(score):
        return rows + _block_rows(compared, range(start, len(expected)), extra)
    for block in call_blocks(score, extra):
        found = _block_rows(compared, block.rows, block.extra)
        if block.turn is not None:
            turn = block.turn.number
            found = [msgspec.structs.replace(row, turn=turn) for row in found]
        rows += found
    return rows


class _Compared(NamedTuple):
    """A score, where its pairs are, the pairs that may have differences, and why others are unpaired."""

    score: Score
    columns: dict[int, int]
    pairs: dict[int, Pair]
    reasons: UnpairedReasons
    lang: Language


def _block_rows(compared: _Compared, positions: Sequence[int], others: Sequence[int]) -> list[Row]:
    """Expected calls at these positions in order, with the extra calls where they happened."""
    score, columns, pairs, reasons, lang = compared
    expected, actual = score.expected, score.actual
    rows: list[Row] = []
    extra = deque(others)
    for position in positions:
        column = columns.get(position)
        if column is None:
            rows.append(_missed_row(expected[position], position, reasons, lang))
            continue
        while extra and extra[0] < column:
            rows.append(_extra_row(score, extra.popleft(), reasons, lang))
        if position in pairs:
            rows.append(_pair_row(pairs[position], lang))
        else:
            rows.append(_equal_row(expected[position], actual[column], position, column))
    rows += [_extra_row(score, column, reasons, lang) for column in extra]
    return rows


def _pairs_by_position(score: Score) -> tuple[int, dict[int, int], dict[int, Pair]]:
    """How many pairs of equal calls there are at the start; the others, by expected position."""
    if score.has_equal_pairs:
        start, columns, pairs = score.equal_start, dict(score.other_correct), score.incorrect
    else:
        start, columns, pairs = 0, {}, (*score.correct, *score.incorrect)
    found = {pair.expected_index: pair for pair in pairs}
    return start, columns | {row: pair.actual_index for row, pair in found.items()}, found


def _equal_row(expected: ToolCall, actual: ToolCall, row: int, column: int) -> Row:
    return Row(
        "=",
        expected_part(expected),
        UNSET if _is_same(expected, actual) else call_part(actual),
        row,
        column,
    )


def _is_same(expected: ToolCall, actual: ToolCall) -> bool:
    """Whether the actual call is written as the expected one: then it is not repeated."""
    return (
        actual.result is None
        and actual == expected
        and type(expected.arguments) is type(actual.arguments) is dict
        and _encoded(expected) == _encoded(actual)  # 1 equals 1.0, and true equals 1
    )


def _encoded(call: ToolCall) -> bytes | None:
    try:
        return _encode(call)
    except (TypeError, UnicodeEncodeError, RecursionError):
        return None


def _pair_row(pair: Pair, lang: Language) -> Row:
    differences = pair.differences
    return Row(
        "=" if pair.is_correct else "~",
        expected_part(pair.expected),
        call_part(pair.actual),
        pair.expected_index,
        pair.actual_index,
        [_difference(found, differences, lang) for found in differences] or UNSET,
    )


def _difference(
    difference: Difference, others: Sequence[Difference], lang: Language
) -> dict[str, Any]:
    kind = difference.kind
    fields: dict[str, Any] = {
        "path": value_part(difference.path),
        "argument": value_part(difference.argument or ""),
        "kind": kind,
        "reason": difference_reason(difference, others=others, lang=lang),
    }
    if kind not in ("unexpected", "malformed"):
        fields["expected"] = value_part(difference.expected)
    if kind not in ("missing", "malformed"):
        fields["actual"] = value_part(difference.actual)
    return fields


def _missed_row(call: ToolCall, position: int, reasons: UnpairedReasons, lang: Language) -> Row:
    note = missed_note(reasons.missed.get(position), call, lang)
    notes = [] if is_state(call) else [note or say(NO_ACTUAL_CALL, lang)]
    if call.name in reasons.look_alikes:
        notes.append(reasons.look_alikes[call.name])
    return Row("-", expected_part(call), expected_index=position, notes=notes)


def _extra_row(score: Score, position: int, reasons: UnpairedReasons, lang: Language) -> Row:
    call = score.actual[position]
    mark: Literal["!", "+"] = "+"
    note = extra_reason(call, position, reasons, lang)
    if position in score.forbidden:
        patterns = forbidden_patterns(score.expectation or ())
        pattern = forbidding_pattern(patterns, call.name, score.settings)
        mark, note = "!", say(_FORBIDDEN_BY, lang, pattern=pattern)
    return Row(mark, actual=call_part(call), actual_index=position, notes=[note])


# --- the index --------------------------------------------------------------------------------


def index_row(
    view: CaseView, score: Score | None, lang: Language, *, evaluation: int = 0
) -> IndexRow:
    """What the list and the filters know of a view; `score` is the one that it shows."""
    if score is None:
        tools, problems = _tools_in(view.rows), _failures(view)
    else:
        tools = dict.fromkeys([call.name for call in (*score.expected, *score.actual)])
        problems = dict.fromkeys(problems_of(score, lang))
    return IndexRow(
        str(view.id),
        view.trial,
        view.status,
        view.score,
        tuple(view.tags),
        tuple(tools),
        tuple(problems),
        "" if view.input is UNSET else _about(view.input),
        evaluation,
        None if view.seconds is UNSET else view.seconds,
        None if score is None else score.first_wrong_turn,
    )


def problems_of(score: Score, lang: Language) -> Iterator[Problem]:
    """Why a score is not 1, worst first."""
    if score.f1 == 1 and not score.faults:
        return
    for position in score.forbidden:
        yield Problem("forbidden", score.actual[position].name)
    missed, extra = score.unpaired
    yield from _unpaired_problems(score, missed, extra)
    for pair in score.incorrect:
        for difference in pair.differences:
            yield Problem(difference.kind, pair.expected.name, difference.argument or "")
    yield from _fault_problems(score.faults or (), lang)


def _unpaired_problems(
    score: Score, missed: Sequence[ToolCall], extra: Sequence[ToolCall]
) -> Iterator[Problem]:
    """Missed calls, each set against the extra call at its position, as the summary does.

    One whose tool was called, also by a call that is free, says why the two are not paired.
    """
    forbidden = {id(score.actual[position]) for position in score.forbidden}
    found = misplaced_calls(score) if missed and (extra or score.ignored) else {}
    misplaced = {id(score.expected[position]): each.why for position, each in found.items()}
    for left, right in zip_longest(missed, extra):
        if left is None:
            if id(right) not in forbidden:
                yield Problem("extra", right.name)
        elif right is None or left.name == right.name:
            kind = misplaced.get(id(left), "missed" if right is None else "order")
            yield Problem(kind, left.name, called=None if right is None else right.name)
        else:
            yield Problem("wrong_tool", left.name, called=right.name)


def _fault_problems(faults: Iterable[Fault], lang: Language) -> Iterator[Problem]:
    for fault in faults:
        title = fault_kind_name(fault.kind, lang=lang)
        argument = argument_of(fault.path)
        yield Problem("schema", fault.tool, argument, detail=fault.kind, title=title)


def argument_of(path: str) -> str:
    """The argument that a JSON path is in: `passengers` of `$.passengers[0].name`; empty for `$`."""
    found = _FIRST_STEP.match(path)
    if found is None:
        return ""
    return found[1] or str(literal_eval(found[2]))


def _tools_in(rows: Iterable[Row]) -> dict[str, None]:
    found: dict[str, None] = {}
    for row in rows:
        for call in (row.expected, row.actual):
            if call is not UNSET:
                found[call.name if isinstance(call, ToolCall) else str(call.get("name"))] = None
    return found


def _failures(view: CaseView) -> dict[Problem, None]:
    """Why there is no score, if that is an error."""
    if view.failure is UNSET:
        return {}
    kind, title = view.failure["kind"], view.failure["title"]
    return {Problem("error", detail=kind, title=title): None}


def _about(value: Any) -> str:
    """The beginning of the input as text, for the search."""
    if isinstance(value, list) and value and isinstance(value[-1], dict):
        texts = [str(each.get("content")) for each in value if isinstance(each, dict)]
        value = " ".join(texts)
    text = value if isinstance(value, str) else _text_of(value)
    return " ".join(text[: 2 * _ABOUT].split())[:_ABOUT]


def _text_of(value: Any) -> str:
    try:
        return _encode(value).decode()
    except (TypeError, UnicodeEncodeError, RecursionError):
        return ""
