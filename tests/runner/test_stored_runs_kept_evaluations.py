"""Which evaluations of a kept run are meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.history.made_up import a_run, an_evaluation

from callscore.errors import UnknownRun
from callscore.history.run_metadata import find_run_and_variant
from callscore.runner.stored_runs import (
    evaluation_label,
    evaluation_labels,
    evaluations_of_variant,
)

if TYPE_CHECKING:
    from callscore.history.store import Store


def test_a_variant_follows_a_colon(store: Store) -> None:
    run = store.begin(a_run(name="nightly"))

    assert find_run_and_variant(store, "nightly") == (run, None)
    assert find_run_and_variant(store, "latest:large") == (run, "large")
    for unknown in ("gone:large", "gone", "nightly:", ":large"):
        with pytest.raises(UnknownRun):
            find_run_and_variant(store, unknown)


def test_the_evaluations_of_a_variant_are_its_own(store: Store) -> None:
    run = store.begin(a_run())
    for number, variant in enumerate(["mini", "large", None]):
        store.add_evaluation(an_evaluation(run.id, number, variant=variant))

    every = evaluations_of_variant(store, run, None)

    assert evaluation_labels(every) == "assistant [mini], assistant [large], assistant"
    (large,) = evaluations_of_variant(store, run, "large")
    assert evaluation_label(large) == "assistant [large]"
    with pytest.raises(UnknownRun, match=r"has no variant 'huge'\. Choose from: mini, large"):
        evaluations_of_variant(store, run, "huge")
    assert evaluation_labels([]) == "no evaluation"
