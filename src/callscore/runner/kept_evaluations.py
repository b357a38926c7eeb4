"""Which evaluations of a kept run are meant, where one of its variants is named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callscore.errors import UnknownRun

if TYPE_CHECKING:
    from collections.abc import Iterable

    from callscore.history.records import EvaluationRecord, RunRecord
    from callscore.history.store import Store

__all__ = ["kept_evaluations", "label_of", "labels", "run_and_variant"]


def run_and_variant(store: Store, reference: str) -> tuple[RunRecord, str | None]:
    """The run that is meant, and the variant of it, where what is typed is a run, a colon and that.

    Raises:
        UnknownRun: there is no such run.
    """
    try:
        return store.find(reference), None
    except UnknownRun:
        name, _, variant = reference.partition(":")
        if not (name and variant):
            raise
    return store.find(name), variant


def kept_evaluations(store: Store, run: RunRecord, variant: str | None) -> list[EvaluationRecord]:
    """What a run evaluated, or what it did under one variant.

    Raises:
        UnknownRun: the run has no such variant.
    """
    every = store.evaluations(run.id)
    found = [record for record in every if variant is None or record.variant == variant]
    if variant is not None and not found:
        known = ", ".join(dict.fromkeys(record.variant or "" for record in every)).strip(", ")
        has = f"it has {known}" if known else "it has none"
        raise UnknownRun(f"the run {run.id} has no variant {variant!r}; {has}")
    return found


def label_of(record: EvaluationRecord) -> str:
    """What an evaluation is called, with its variant."""
    return record.name if record.variant is None else f"{record.name} [{record.variant}]"


def labels(records: Iterable[EvaluationRecord]) -> str:
    """What evaluations are called, as a list in a sentence."""
    return ", ".join(dict.fromkeys(map(label_of, records))) or "no evaluation"
