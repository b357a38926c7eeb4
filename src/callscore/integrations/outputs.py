"""What the tools answer: scores, explanations and faults as objects with the fields of their schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.core.score import parameters_valid
from callscore.words.plain_data import score_to_dict
from callscore.words.reasons import fault_reason
from callscore.words.unpaired import explain_unpaired
from callscore.words.value_text import json_safe, percent

if TYPE_CHECKING:
    from callscore.core.call import ToolCall
    from callscore.core.score import Fault, Score
    from callscore.words.unpaired import UnpairedReasons

__all__ = ["check_answer", "explanation_answer", "score_answer"]

_MOST_REASONS = 10
_DIFFERENCE = ("path", "kind", "expected", "actual", "reason")
_FAULT = ("kind", "tool", "index", "path", "value", "wanted", "since", "reason")
_OF_CALLS = ("id", "raw", "error")


def score_answer(score: Score) -> dict[str, Any]:
    """A score with every call in one of four lists, and why it is there."""
    report, words = score_to_dict(score), explain_unpaired(score, "en")
    faults = {} if score.faults is None else {"faults": [_fault(fault) for fault in score.faults]}
    return {
        "score": score.score,
        "precision": score.precision,
        "recall": score.recall,
        "totalExpected": score.total_expected,
        "totalActual": score.total_actual,
        "correctCalls": [_correct(pair) for pair in report["correct"]],
        "incorrectCalls": [_incorrect(pair) for pair in report["incorrect"]],
        "missedCalls": [
            _missed(call, entry, score, words)
            for call, entry in zip(score.missed, report["missed"], strict=True)
        ],
        "extraCalls": _extra(score, report, words),
        "forbiddenCalls": [_call(call) for call in report["forbidden"]],
        "ignoredCalls": [
            {"side": ignored["side"], "why": ignored["why"], "call": _call(ignored["call"])}
            for ignored in report["ignored"]
        ],
        **faults,
        "summary": score.summary,
    }


def explanation_answer(score: Score) -> dict[str, Any]:
    """How a score comes about in three steps, and the numbers in them."""
    return {
        "explanation": score.explain(),
        "score": score.score,
        "precision": score.precision,
        "recall": score.recall,
        "totalExpected": score.total_expected,
        "totalActual": score.total_actual,
        "correct": len(score.correct),
        "incorrect": len(score.incorrect),
        "missed": len(score.missed),
        "extra": len(score.extra),
        "rating": score.rating,
        "summary": score.summary,
    }


def check_answer(faults: tuple[Fault, ...], calls: int, *, knows_tools: bool) -> dict[str, Any]:
    """What is wrong with calls whatever was expected.

    Args:
        faults: all that was found.
        calls: how many calls were looked at.
        knows_tools: whether the definitions of the tools were there to check by.
    """
    faulty = len({fault.index for fault in faults})
    valid = parameters_valid(faults, calls=calls, expected=0) if knows_tools else None
    share = "" if valid is None else f" | Parameters valid: {percent(valid)}"
    return {
        "totalActual": calls,
        "faultyCalls": faulty,
        "parametersValid": valid,
        "faults": [_fault(fault) for fault in faults],
        "summary": f"Calls: {calls} | At fault: {faulty} | Faults: {len(faults)}{share}",
    }


def _call(call: dict[str, Any]) -> dict[str, Any]:
    """A call in the words that it is asked for in; arguments that cannot be read are null."""
    spelled: dict[str, Any] = {"tool": call["name"]}
    if "arguments" in call or "error" in call:
        spelled["args"] = call.get("arguments")
    return spelled | {field: call[field] for field in _OF_CALLS if field in call}


def _sides(pair: dict[str, Any]) -> dict[str, Any]:
    return {"expected": _call(pair["expected"]), "actual": _call(pair["actual"])}


def _correct(pair: dict[str, Any]) -> dict[str, Any]:
    """A correct pair; in mode flexible the arguments may differ all the same."""
    found = _differences(pair)
    return {
        **_sides(pair),
        "status": "correct",
        "argsMatch": True,
        **({"differences": found} if found else {}),
    }


def _incorrect(pair: dict[str, Any]) -> dict[str, Any]:
    found = _differences(pair)
    reasons = [difference["reason"] for difference in found[:_MOST_REASONS]]
    if len(found) > _MOST_REASONS:
        reasons.append(f"and {len(found) - _MOST_REASONS} more")
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
    call: ToolCall, entry: dict[str, Any], score: Score, words: UnpairedReasons
) -> dict[str, Any]:
    if call.name in words.out_of_order:
        details = "called, but not in this order"
    elif any(made.name == call.name for made in score.actual):
        details = "not called often enough: every call of this tool is set against another one"
    else:
        details = "never called"
    return {
        "expected": _call(entry),
        "status": "missed",
        "argsMatch": False,
        "details": f"{json_safe(call.name)}: {details}",
    }


def _extra(score: Score, report: dict[str, Any], words: UnpairedReasons) -> list[dict[str, Any]]:
    """The unexpected calls, with a remark on those that were nearly expected."""
    paired = {pair["actual_index"] for pair in report["correct"] + report["incorrect"]}
    others = [position for position in range(len(score.actual)) if position not in paired]
    entries = []
    for position, call in zip(others, report["extra"], strict=True):
        details = _about_extra(score, position, words)
        entries.append(_call(call) | ({} if details is None else {"details": details}))
    return entries


def _about_extra(score: Score, position: int, words: UnpairedReasons) -> str | None:
    if position in score.forbidden:
        return "forbidden: it must not be called"
    if score.actual[position].name in words.out_of_order:
        return "expected, but not in this order"
    return words.extra.get(position)


def _fault(fault: Fault) -> dict[str, Any]:
    found = {field: json_safe(getattr(fault, field)) for field in _FAULT}
    return (
        found
        if fault.since is None
        else found | {"reason": json_safe(_by_index(fault, fault.since))}
    )


def _by_index(fault: Fault, since: int) -> str:
    """The sentence about a fault with the other call by its index, as in the fields beside it."""
    words = fault_reason(fault)
    about = fault.reason.removesuffix(words)
    return about + words.replace(f"number {since + 1}", f"index {since}", 1)
