"""A score as data with the camelCase fields of JavaScript tools: `correctCalls`, `argsMatch`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.case import STATE_KIND, is_state
from callscore.words.plain_data import score_to_dict
from callscore.words.reasons import fault_reason
from callscore.words.unpaired import explain_unpaired
from callscore.words.value_text import json_safe

if TYPE_CHECKING:
    from callscore.core.call import ToolCall
    from callscore.core.score import Fault, Score
    from callscore.words.unpaired import UnpairedReasons

__all__ = ["fault_to_camel_dict", "score_numbers", "score_to_camel_dict"]

_MAX_REASONS = 10
_DIFFERENCE = ("path", "kind", "expected", "actual", "reason")
_FAULT = ("kind", "tool", "index", "path", "value", "required", "since", "reason")
_CALL_FIELDS = ("id", "raw", "error", "turn")
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
    called = {call.name for call in score.actual}
    faults = (
        {}
        if score.faults is None
        else {"faults": [fault_to_camel_dict(fault) for fault in score.faults]}
    )
    return {
        **score_numbers(score),
        "correctCalls": [_correct(pair) for pair in report["correct"]],
        "incorrectCalls": [_incorrect(pair) for pair in report["incorrect"]],
        "missedCalls": [
            _missed(call, entry, called, reasons)
            for call, entry in zip(score.missed, report["missed"], strict=True)
        ],
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


def _missed(
    call: ToolCall, entry: dict[str, Any], called: set[str], reasons: UnpairedReasons
) -> dict[str, Any]:
    if is_state(call):
        details = "the run has no end state"
    elif call.name in reasons.out_of_turn:
        details = "called, but in another turn"
    elif call.name in reasons.out_of_order:
        details = "called, but not in this order"
    elif call.name in called:
        details = (
            "not called often enough: each call of this tool is paired with another expected call"
        )
    else:
        details = "never called"
    return {
        "expected": _call(entry),
        "status": "missed",
        "argsMatch": False,
        "details": f"{json_safe(call.name)}: {details}",
    }


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
        elif score.actual[position].name in reasons.out_of_turn:
            details = "expected, but in another turn"
        elif score.actual[position].name in reasons.out_of_order:
            details = "expected, but not in this order"
        entries.append(_call(call) | ({} if details is None else {"details": details}))
    return entries


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
