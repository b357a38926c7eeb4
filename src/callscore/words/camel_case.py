"""A score as data with the camelCase fields of JavaScript tools: `correctCalls`, `argsMatch`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.case import STATE_KIND, is_state
from callscore.words.callers import other_caller_text
from callscore.words.plain_data import score_to_dict
from callscore.words.reasons import fault_reason
from callscore.words.unpaired import Misplaced, UnpairedReasons, explain_unpaired, missed_note
from callscore.words.value_text import json_safe

if TYPE_CHECKING:
    from callscore.core.call import ToolCall
    from callscore.core.score import Fault, Score

_MAX_REASONS = 10
_DIFFERENCE = ("path", "kind", "expected", "actual", "reason")
_FAULT = ("kind", "tool", "index", "path", "value", "required", "since", "reason")
_CALL_FIELDS = ("id", "raw", "error", "caller", "turn")
_TURN = (
    "number",
    "correct",
    "expected",
    "actual",
    "forbidden",
    "f1",
    "precision",
    "recall",
    "passed",
)


def score_to_camel_dict(score: Score) -> dict[str, Any]:
    """A score with every call in one of four lists, each with its status and the details."""
    report, reasons = score_to_dict(score), explain_unpaired(score, "en")
    faults = (
        {}
        if score.faults is None
        else {"faults": [fault_to_camel_dict(fault) for fault in score.faults]}
    )
    return {
        **score_numbers(score),
        "correctCalls": [_correct(pair) for pair in report["correct"]],
        "incorrectCalls": [_incorrect(pair) for pair in report["incorrect"]],
        "missedCalls": _missed(score, report, reasons),
        "extraCalls": _extra(score, report, reasons),
        "forbiddenCalls": [_call(call) for call in report["forbidden"]],
        "ignoredCalls": [
            {"side": ignored["side"], "why": ignored["why"], "call": _call(ignored["call"])}
            for ignored in report["ignored"]
        ],
        **faults,
        **_turns(report),
        "summary": score.summary,
    }


def _turns(report: dict[str, Any]) -> dict[str, Any]:
    """The turns, and the first that went wrong; nothing for a case without turns."""
    if not report["turns"]:
        return {}
    return {
        "turns": [{name: turn[name] for name in _TURN} for turn in report["turns"]],
        "turnMean": report["turn_mean"],
        "turnMin": report["turn_min"],
        "firstWrongTurn": report["first_wrong_turn"],
    }


def score_numbers(score: Score) -> dict[str, Any]:
    """The rates and the numbers of calls."""
    return {
        "score": score.score,
        "precision": score.precision,
        "recall": score.recall,
        "totalExpected": score.total_expected,
        "totalActual": score.total_actual,
    }


def _call(call: dict[str, Any]) -> dict[str, Any]:
    """A call with the names of the input schema; arguments that cannot be read are null."""
    spelled: dict[str, Any] = {"tool": call["name"]}
    if "arguments" in call or "error" in call:
        spelled["args"] = call.get("arguments")
    if call.get("kind") == STATE_KIND:  # no call of a tool
        spelled["kind"] = STATE_KIND
    return spelled | {field: call[field] for field in _CALL_FIELDS if field in call}


def _sides(pair: dict[str, Any]) -> dict[str, Any]:
    return {"expected": _call(pair["expected"]), "actual": _call(pair["actual"])}


def _correct(pair: dict[str, Any]) -> dict[str, Any]:
    """A correct pair; in mode flexible its arguments may differ."""
    found = _differences(pair)
    return {
        **_sides(pair),
        "status": "correct",
        "argsMatch": True,
        **({"differences": found} if found else {}),
    }


def _incorrect(pair: dict[str, Any]) -> dict[str, Any]:
    found = _differences(pair)
    reasons = [difference["reason"] for difference in found[:_MAX_REASONS]]
    if len(found) > _MAX_REASONS:
        reasons.append(f"and {len(found) - _MAX_REASONS} more")
    return {
        **_sides(pair),
        "status": "incorrect",
        "argsMatch": False,
        "details": "; ".join(reasons),
        "differences": found,
    }


def _differences(pair: dict[str, Any]) -> list[dict[str, Any]]:
    return [{field: found[field] for field in _DIFFERENCE} for found in pair["differences"]]


def _missed(score: Score, report: dict[str, Any], reasons: UnpairedReasons) -> list[dict[str, Any]]:
    """The expected calls that were not made, with details about calls of the same tools."""
    paired = {pair["expected_index"] for pair in report["correct"] + report["incorrect"]}
    others = [position for position in range(len(score.expected)) if position not in paired]
    called = {call.name for call in score.actual}
    return [
        {
            "expected": _call(entry),
            "status": "missed",
            "argsMatch": False,
            "details": f"{entry['name']}: {_missed_details(score, position, called, reasons)}",
        }
        for position, entry in zip(others, report["missed"], strict=True)
    ]


def _missed_details(score: Score, position: int, called: set[str], reasons: UnpairedReasons) -> str:
    call = score.expected[position]
    if is_state(call):
        return "the run has no end state"
    note = missed_note(reasons.missed.get(position), call, "en")
    if note is not None:
        return note
    if call.name in called:
        return (
            "not called often enough: each call of this tool is paired with another expected call"
        )
    return "never called"


def _extra(score: Score, report: dict[str, Any], reasons: UnpairedReasons) -> list[dict[str, Any]]:
    """The unexpected calls, with details about forbidden and nearly expected ones."""
    paired = {pair["actual_index"] for pair in report["correct"] + report["incorrect"]}
    others = [position for position in range(len(score.actual)) if position not in paired]
    forbidden = set(score.forbidden)
    entries = []
    for position, call in zip(others, report["extra"], strict=True):
        details = reasons.extra.get(position)
        if position in forbidden:
            details = "forbidden: must not be called"
        elif position in reasons.misplaced:
            details = _misplaced_details(score.actual[position], reasons.misplaced[position])
        entries.append(_call(call) | ({} if details is None else {"details": details}))
    return entries


def _misplaced_details(call: ToolCall, found: Misplaced) -> str:
    if found.why == "caller":
        return other_caller_text(call, found.other, "en")
    return f"expected, but {'in another turn' if found.why == 'turn' else 'not in this order'}"


def fault_to_camel_dict(fault: Fault) -> dict[str, Any]:
    """A fault as data; positions are counted from 0."""
    found = {field: json_safe(getattr(fault, field)) for field in _FAULT}
    if fault.since is not None:  # the sentence names the other call by its index, as the fields do
        sentence = fault_reason(fault)
        by_index = sentence.replace(
            f"call {fault.since + 1}", f"the call at index {fault.since}", 1
        )
        found["reason"] = json_safe(fault.reason.removesuffix(sentence) + by_index)
    return found
