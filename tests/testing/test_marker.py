"""A marker holds while its test runs, and not a moment longer."""

from __future__ import annotations

from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, Any

import pytest

from callscore.testing.current_test import running_test
from callscore.testing.item_record import decode_record
from callscore.testing.marker import apply_marker, record_key, record_of, run_if_async, updates_for

if TYPE_CHECKING:
    from collections.abc import Callable

Watched = Any  # a test that is set up, and watched


@pytest.fixture
def watched(pytester: pytest.Pytester, request: pytest.FixtureRequest) -> Callable[..., Watched]:
    """Gives a test that is set up, with its marker in force."""

    def made(text: str, *, is_updating: bool = False) -> Watched:
        item: Any = pytester.getitem(f"import pytest\n\n{text}", "test_x")
        item.config.option.callscore_update = is_updating
        state = item.session._setupstate
        state.setup(item)
        request.addfinalizer(lambda: state.teardown_exact(None))
        apply_marker(item)
        return item

    return made


def _end(item: Watched) -> None:
    item.session._setupstate.teardown_exact(None)


def test_what_a_marker_says_holds_until_the_test_is_torn_down(
    watched: Callable[..., Watched],
) -> None:
    item = watched("@pytest.mark.callscore(pass_mark=0.5)\ndef test_x(): ...")

    assert (running_test().label, running_test().defaults) == ("test_x", {"pass_mark": 0.5})

    _end(item)
    assert running_test().label == ""


def test_what_a_test_returns_is_judged_by_whoever_calls_it(
    watched: Callable[..., Watched],
) -> None:
    item = watched("@pytest.mark.callscore(expected=['f'])\ndef test_x(): return MADE")
    function = item.obj.__wrapped__

    function.__globals__["MADE"] = ["f"]
    assert item.obj() is None
    assert ("callscore.f1", 1.0) in item.user_properties
    for wrong in (["g"], None, 17):
        function.__globals__["MADE"] = wrong
        with pytest.raises(pytest.fail.Exception):
            item.obj()

    _end(item)
    assert item.obj() == 17


def test_a_test_that_awaits_is_made_one_that_can_be_called(
    watched: Callable[..., Watched],
) -> None:
    item = watched("@pytest.mark.callscore(expected=['f'])\nasync def test_x(): return ['g']")
    assert iscoroutinefunction(item.obj)

    run_if_async(item)

    assert not iscoroutinefunction(item.obj)
    with pytest.raises(pytest.fail.Exception, match=r"Accuracy Score: 0\.0%"):
        item.obj()
    _end(item)
    assert iscoroutinefunction(item.obj)


def test_a_test_that_awaits_nothing_is_left_as_it_is(watched: Callable[..., Watched]) -> None:
    item = watched("@pytest.mark.callscore(pass_mark=1.0)\ndef test_x(): ...")
    function = item.obj

    run_if_async(item)

    assert item.obj is function


@pytest.mark.parametrize(
    ("marker", "why"),
    [
        ("['f']", "takes only keywords"),
        ("expekted=[]", "unknown option 'expekted'. Did you mean 'expected'?"),
        ("mode=1", "callscore marker: mode"),
    ],
)
def test_a_marker_that_says_what_it_cannot_leaves_nothing_behind(
    marker: str, why: str, watched: Callable[..., Watched]
) -> None:
    with pytest.raises(pytest.fail.Exception, match=why):
        watched(f"@pytest.mark.callscore({marker})\ndef test_x(): ...")

    assert running_test().label == ""


def test_a_test_tells_what_is_to_be_rewritten_and_what_is_right(
    watched: Callable[..., Watched],
) -> None:
    item = watched(
        "@pytest.mark.callscore(expected=['f'])\ndef test_x(made=['g']): return made",
        is_updating=True,
    )
    assert record_of(item, has_passed=True) is None

    item.obj()
    item.obj(["f"])

    told = decode_record(record_of(item, has_passed=True) or "")
    assert [change.items for change in told.changes] == [({"name": "g", "arguments": {}},)]
    assert len(told.confirmed) == 1
    failed = decode_record(record_of(item, has_passed=False) or "")
    assert (failed.changes, failed.confirmed) == ((), told.confirmed)  # something else is wrong
    item.stash[record_key] = "what it says itself"
    assert record_of(item, has_passed=True) == "what it says itself"


def test_what_a_test_that_should_fail_expects_is_not_rewritten(
    watched: Callable[..., Watched],
) -> None:
    item = watched("def test_x(): ...", is_updating=True)
    assert updates_for(item) is not None

    item.add_marker("xfail")
    assert updates_for(item) is None

    item.config.option.callscore_update = False
    assert updates_for(item) is None
