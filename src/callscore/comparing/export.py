"""Comparisons and gates as plain data that any JSON encoder accepts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict

from callscore.core.export import noted_to_dict
from callscore.core.plain import plain

if TYPE_CHECKING:
    from callscore.comparing.comparison import (
        CaseChange,
        Comparison,
        Difference,
        SideSummary,
        Slice,
    )
    from callscore.comparing.gating import Gate
    from callscore.core.phrase import Language

__all__ = ["comparison_to_dict", "gate_to_dict"]


def gate_to_dict(gate: Gate, *, lang: Language = "en") -> dict[str, Any]:
    """Whether it is open, why not, and the comparison that it looked at."""
    return {
        "is_open": gate.is_open,
        "is_doubtful": gate.is_doubtful,
        "fail_on": gate.fail_on,
        "reasons": [plain(asdict(reason)) for reason in gate.reasons],
        "comparison": comparison_to_dict(gate.comparison, lang=lang),
    }


def comparison_to_dict(comparison: Comparison, *, lang: Language = "en") -> dict[str, Any]:
    """The verdict, the numbers behind it, every case that went otherwise, and the slices."""
    return {
        "verdict": comparison.verdict,
        "before": _side(comparison.before, lang),
        "after": _side(comparison.after, lang),
        "main": _difference(comparison.main),
        "others": [_difference(other) for other in comparison.others],
        "counts": {
            "broken": len(comparison.changed("broken")),
            "fixed": len(comparison.changed("fixed")),
            "changed": len(comparison.changed("changed")),
            "same": comparison.same,
        },
        "changes": [_change(change) for change in comparison.changes],
        "tools": [_slice(each) for each in comparison.tools],
        "tags": [_slice(each) for each in comparison.tags],
        "alarms": [plain(asdict(alarm)) for alarm in comparison.alarms],
        "only_before": noted_to_dict(comparison.only_before),
        "only_after": noted_to_dict(comparison.only_after),
        "undecided": noted_to_dict(comparison.undecided),
        "lost": noted_to_dict(comparison.lost),
        "expectations_changed": noted_to_dict(comparison.expectations_changed),
        "inputs_changed": noted_to_dict(comparison.inputs_changed),
        "is_same_run": comparison.is_same_run,
        "evaluations": plain(list(comparison.evaluations)),
        "notes": [plain(note.text(lang)) for note in comparison.notes],
    }


def _side(side: SideSummary, lang: Language) -> dict[str, Any]:
    below = [plain(note.text(lang)) for note in side.below]
    return {**plain(asdict(side) | {"below": None}), "below": below}


def _difference(difference: Difference) -> dict[str, Any]:
    fields = asdict(difference)
    interval = fields.pop("interval")
    return {
        **plain(fields),
        "change": plain(difference.change),
        "interval": None if interval is None else {"low": interval.low, "high": interval.high},
    }


def _slice(each: Slice) -> dict[str, Any]:
    return {"kind": each.kind, "name": plain(each.name), **_difference(each.difference)}


def _change(change: CaseChange) -> dict[str, Any]:
    fields = asdict(change)
    (before, decided_before), (after, decided_after) = fields["before"], fields["after"]
    f1_before, f1_after = fields.pop("f1")
    return {
        **plain(fields | {"reasons": [asdict(reason) for reason in change.reasons]}),
        "before": {"passed": before, "decided": decided_before, "f1": plain(f1_before)},
        "after": {"passed": after, "decided": decided_after, "f1": plain(f1_after)},
    }
