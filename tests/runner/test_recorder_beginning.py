"""How a run begins in the history, and what is said where files have changed since."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace
from tests.runner.agents import a_case, an_evaluation

from callscore import models
from callscore.errors import InvalidSettings
from callscore.evaluations.plan import make_plan
from callscore.runner.recorder import begin_recording
from callscore.runner.running import RunOptions

if TYPE_CHECKING:
    from callscore.evaluations.plan import Group
    from callscore.history.store import Store

PATHS = {"paths": ["evals"]}


def groups(*sources: tuple[str, str], task: Any = list) -> tuple[Group, ...]:
    """Groups of evaluations at these places, with the digests of their text."""
    made = [
        replace(an_evaluation(task, name=f"agent-{at}"), place=place, source=source)
        for at, (place, source) in enumerate(sources)
    ]
    return make_plan(made).groups


def begun(store: Store, asked: tuple[Group, ...], **options: Any) -> tuple[Any, list[str]]:
    recorder, warnings = begin_recording(store, asked, RunOptions(arguments=PATHS, **options))
    recorder.close()
    recorder.release()
    return recorder.run, warnings


def test_a_run_is_kept_with_what_was_asked_for(store: Store) -> None:
    asked = groups(("eval_a.py:3", "aa"), ("eval_a.py:9", "aa"), ("suite.yaml", "bb"))

    run, warnings = begun(store, asked, use_cache=True)

    assert warnings == []
    assert store.find("latest") == run
    assert run.arguments == {
        "paths": ["evals"],
        "cache": True,
        "sources": {"eval_a.py": "aa", "suite.yaml": "bb"},
    }
    assert "callscore" in run.versions
    kept = store.evaluations(run.id)
    assert [(each.number, each.name) for each in kept] == [
        (0, "agent-0"),
        (1, "agent-1"),
        (2, "agent-2"),
    ]


def test_what_says_itself_what_it_asks_has_no_text_to_watch(store: Store) -> None:
    chat = models.chat("small", base_url="http://localhost:1/v1")
    asked = groups(("eval_a.py:3", "aa"), task=chat)
    nothing = make_plan([an_evaluation(list, a_case(skip=True))]).groups

    assert begun(store, asked + nothing)[0].arguments["sources"] == {}


def test_a_run_whose_file_has_changed_goes_on_and_it_is_said(store: Store) -> None:
    run, _ = begun(store, groups(("eval_a.py:3", "aa"), ("eval_b.py:3", "bb")))

    again, warnings = begun(
        store,
        groups(("eval_a.py:5", "changed"), ("eval_b.py:3", "bb"), ("eval_new.py:3", "cc")),
        resume=True,
    )

    assert again.id == run.id
    assert warnings == [
        "eval_a.py has changed since the run began: the answers from before are of its former text"
    ]
    assert again.arguments == run.arguments


def test_of_a_run_that_says_nothing_of_its_files_nothing_is_said(store: Store) -> None:
    run, _ = begun(store, groups(("eval_a.py:3", "aa")))
    store.begin(replace(run, arguments=PATHS))

    assert begun(store, groups(("eval_a.py:3", "changed")), resume=True)[1] == []


def test_a_run_that_took_kept_answers_goes_on_to_take_them(store: Store) -> None:
    asked = groups(("eval_a.py:3", "aa"))
    begun(store, asked, use_cache=True)

    recorder, _ = begin_recording(store, asked, RunOptions(arguments=PATHS, resume=True))
    recorder.close()

    assert recorder._known.use_cache


def test_a_run_is_not_called_like_a_baseline(store: Store) -> None:
    first, _ = begun(store, groups(("eval_a.py", "aa")), name="nightly")
    store.set_baseline("main", first.id)

    with pytest.raises(InvalidSettings, match="'main' is a baseline"):
        begun(store, groups(("eval_a.py", "aa")), name="main")

    assert [run.id for run in store.runs()] == [first.id]
