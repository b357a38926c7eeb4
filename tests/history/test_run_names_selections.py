"""Whether a run has left cases out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.history.made_up import a_run

from callscore.history.run_names import is_partial, lineage

if TYPE_CHECKING:
    from callscore.history.store import Store


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [({}, False), ({"keyword": "", "limit": None}, False), ({"tags": ["smoke"]}, True)],
)
def test_a_run_that_was_told_to_leave_cases_out_is_partial(
    arguments: dict[str, Any], expected: bool
) -> None:
    assert is_partial(a_run(arguments=arguments), {}) is expected


def test_the_files_of_a_score_are_no_selection() -> None:
    assert not is_partial(a_run(command="score", arguments={"cases": ["a.jsonl"]}), {})


def test_what_is_scored_again_is_as_partial_as_what_was_asked(store: Store) -> None:
    store.begin(a_run("a", arguments={"limit": 3}))
    store.begin(a_run("b", command="rescore", parent="a"))
    newest = store.begin(a_run("c", command="rescore", parent="b"))
    orphan = store.begin(a_run("d", command="rescore", parent="gone"))
    loop = store.begin(a_run("e", command="rescore", parent="e"))

    assert list(lineage(store, newest)) == ["c", "b", "a"]
    assert is_partial(newest, lineage(store, newest))
    assert not is_partial(newest, {})
    for run in (orphan, loop):
        assert list(lineage(store, run)) == [run.id]
        assert not is_partial(run, lineage(store, run))
