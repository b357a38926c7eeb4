"""A recording is opened once, says whether anything ran, and is read like a trace."""

from __future__ import annotations

import sys
from contextvars import ContextVar, copy_context
from importlib import import_module
from threading import Thread
from types import ModuleType
from typing import Any, ClassVar

import pytest

import callscore
from callscore.errors import CallscoreError, InvalidCall, MissingExtra
from callscore.formats.shape import to_plain_data
from callscore.recorders.recording import Recording
from callscore.testing import assert_calls

EXPECTED = [("look", {"q": "a"})]


class Items(list[Any]):
    is_closed = False

    def runs(self) -> list[dict[str, Any]]:
        return [{"document": list(self)}]

    def close(self) -> None:
        self.is_closed = True


class Notes(Recording):
    current: ClassVar[ContextVar[Any]] = ContextVar("notes", default=None)
    no_run = "Run it."

    def __init__(self) -> None:
        self.items = Items()
        super().__init__(self.items)

    def take(self, *items: Any, is_run: bool = True) -> None:
        self._note("take", lambda log: log.extend(items), is_run=is_run)

    def fail(self) -> None:
        def raising(log: Items) -> None:
            raise ValueError(f"bad {len(log)}")

        self._note("fail", raising)


def look(query: str = "a") -> dict[str, Any]:
    arguments = f'{{"q": "{query}"}}'
    return {"type": "function_call", "call_id": query, "name": "look", "arguments": arguments}


def test_a_recording_is_a_trace_for_all_that_read_one() -> None:
    with Notes() as run:
        run.take(look())

    assert callscore.read_calls(run) == list(run.calls)
    assert callscore.score(EXPECTED, run).f1 == 1
    assert callscore.score(run, run).f1 == 1
    assert callscore.check_calls(run, tools=["look"]) == ()
    assert assert_calls(EXPECTED, run).f1 == 1
    with pytest.raises(AssertionError):
        assert_calls([], run)


def test_the_document_of_a_recording_is_plain_data_and_is_read_again() -> None:
    with Notes() as run:
        run.take(look())

    assert tuple(callscore.read_calls(to_plain_data(run))) == run.calls
    assert tuple(callscore.read_calls(to_plain_data([run])[0])) == run.calls


def test_an_evaluation_can_return_a_recording() -> None:
    def task(case: Any) -> Recording:
        with Notes() as run:
            if case.id != "2":
                run.take(look())
        return run

    cases = [{"id": id_, "expected": [{"name": "look", "arguments": {"q": "a"}}]} for id_ in "12"]
    (found,) = callscore.evaluate(callscore.evaluation(cases=cases)(task)).evaluations

    assert (found.answered, found.passed, found.errors) == (1, 1, 1)
    assert "no run of an agent was recorded" in str(found.failures[0])


def test_no_run_is_an_error_and_a_run_without_calls_is_none() -> None:
    with Notes() as empty:
        empty.take(is_run=False)
    with Notes() as run:
        run.take()

    assert run.calls == ()
    for use in (lambda: empty.calls, lambda: assert_calls([], empty), lambda: Notes().calls):
        with pytest.raises(InvalidCall, match=r"^no run of an agent was recorded\. Run it\.$"):
            use()


def test_an_error_of_the_recorder_is_raised_when_the_recording_is_used() -> None:
    with Notes() as run:
        run.take(look())
        run.fail()

    with pytest.raises(InvalidCall, match="the recorder failed: fail: ValueError: bad 1"):
        _ = run.calls
    with pytest.raises(CallscoreError, match="incomplete"):
        callscore.score([], run)


def test_a_run_outside_of_the_with_block_is_an_error() -> None:
    with Notes() as run:
        run.take(look())
    run.take(look("b"))
    before = Notes()
    before.take(look())
    with before:
        before.take(look())

    for recording in (run, before):
        with pytest.raises(InvalidCall, match="outside of the 'with record"):
            _ = recording.calls


def test_an_inner_recording_belongs_to_those_around_it() -> None:
    with Notes() as outer, Notes() as middle:
        outer.take(look())
        with Notes() as inner:
            inner.take(look("b"))
            inner.fail()

    assert len(inner._problems) == len(middle._problems) == len(outer._problems) == 1
    assert [len(each.items) for each in (outer, middle, inner)] == [2, 1, 1]
    assert Notes.current.get() is None


def test_the_halves_of_a_fixture_may_have_different_contexts() -> None:
    run, context = Notes(), copy_context()
    context.run(run.__enter__)
    run.take(look())
    run.__exit__(None, None, None)

    def later() -> Notes:
        with Notes() as other:
            other.take(look("b"))
        return other

    assert len(context.run(later).calls) == 1
    assert len(run.calls) == 1


def test_an_exception_inside_leaves_the_recording() -> None:
    def failing(run: Notes) -> None:
        with run:
            run.take(look())
            raise KeyError

    run = Notes()
    with pytest.raises(KeyError):
        failing(run)

    assert run.items.is_closed
    assert len(run.calls) == 1
    assert Notes.current.get() is None


@pytest.mark.parametrize(
    ("recorder", "module", "package"),
    [
        ("langgraph", "langchain_core", "langchain-core"),
        ("openai_agents", "agents", "openai-agents"),
        ("opentelemetry", "opentelemetry.sdk", "opentelemetry-sdk"),
        ("pydantic_ai", "pydantic_ai", "pydantic-ai"),
    ],
)
def test_a_missing_library_is_named(
    recorder: str, module: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, ModuleType(module))
    record = import_module(f"callscore.recorders.{recorder}").record
    options = {"provider": object()} if recorder == "opentelemetry" else {}

    with pytest.raises(MissingExtra, match=f"pip install .*{package}"):
        record(**options)


FAILED = "the recorder failed: the end: ZeroDivisionError"


def failing_at_the_end() -> Notes:
    run = Notes()
    run.items.close = lambda: 1 / 0  # type: ignore[method-assign, assignment]
    return run


def test_an_error_at_the_end_is_a_warning_and_the_recording_cannot_be_used() -> None:
    run = failing_at_the_end()

    with pytest.warns(UserWarning, match=FAILED), run:
        run.take(look())

    assert Notes.current.get() is None
    assert not Notes.all_open
    with pytest.raises(InvalidCall, match=FAILED):
        _ = run.calls


def test_an_error_at_the_end_does_not_replace_that_of_the_program() -> None:
    def agent() -> None:
        with failing_at_the_end() as run:  # warnings are errors here
            run.take(look())
            raise KeyError("of the agent")

    with pytest.raises(KeyError, match="of the agent"):
        agent()


def test_a_recording_that_is_closed_twice_does_not_fail() -> None:
    run = Notes()
    with run:
        run.take(look())
    run.__exit__(None, None, None)

    assert len(run.calls) == 1


def test_calls_in_other_threads_give_a_warning_when_the_recording_is_used() -> None:
    with Notes() as run, Notes() as inner:
        run.take(look())
        inner.take(look("b"))
        thread = Thread(target=lambda: Notes.note_elsewhere(lambda _: False), name="worker")
        thread.start()
        thread.join()
        Notes.note_elsewhere(lambda _: False)  # in the same thread: of another context

    for recording in (run, inner):
        with pytest.warns(UserWarning, match=r"called in other threads \(worker\).*copy_context"):
            assert recording.calls


def test_what_is_known_or_goes_wrong_elsewhere_is_not_noted() -> None:
    with Notes() as run:
        run.take(look())
        for is_known in (lambda _: True, lambda _: 1 / 0):
            thread = Thread(target=Notes.note_elsewhere, args=(is_known,))
            thread.start()
            thread.join()

    assert len(run.calls) == 1  # without a warning, which would be an error here
