"""What is to be written where a test expects something other than what was called."""

from __future__ import annotations

import sys
from pathlib import Path

from callscore import expect, score
from callscore.rewriting.observed import Location, location_key
from callscore.testing.running_test import Updates
from callscore.testing.update import location_of_call, record_update

F, G = expect.call("f"), expect.call("g")


def test_a_call_is_found_by_where_it_stands() -> None:
    spots = [
        location_of_call("x", sys._getframe()),
        location_of_call("x", sys._getframe()),
    ]
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()

    first, second = spots
    assert second.line == first.line + 1
    assert first.end[0] == first.line
    assert lines[first.line - 1][: first.end[1]].endswith('_of_call("x", sys._getframe())')
    assert first.files == (__file__,)


def test_whoever_expects_something_at_a_place_it_is_one(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text('{"id": "a", "expected": ["f"]}\n')
    updates = Updates(tmp_path)

    for name, made in (("eval_x.yaml", "f"), ("eval_y.yaml", "g")):
        (tmp_path / name).write_text("cases: x.jsonl\n")
        spot = Location("x[a]", "case", (str(tmp_path / name), str(file)), case="a")
        assert record_update(updates, spot, [F], score([F], [made])) is None

    assert [location_key(change) for change in updates.changes] == updates.confirmed


def test_what_holds_is_confirmed_and_what_does_not_is_changed(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text('{"id": "a", "expected": ["f"]}\n')
    spot = Location("x[a]", "case", (str(file),), case="a")
    updates = Updates(tmp_path)

    assert record_update(updates, spot, [F], score([F], ["f"])) is None
    assert record_update(updates, spot, [F], score([F], ["g"])) is None
    assert record_update(updates, spot, [G], score([G], ["f"])) == (
        "x.jsonl: what is expected is not written out there."
    )
    forbidden = [expect.forbid("g")]
    assert record_update(updates, spot, forbidden, score(forbidden, ["g"])) == (
        "g was called, which is forbidden."
    )

    assert updates.confirmed == [location_key(updates.changes[0])] == [f"{file}:(0, 'expected')"]
    assert [change.items for change in updates.changes] == [({"name": "g", "arguments": {}},)]
    assert updates.changes[0].shown == "  Expected   Actual\n- f(…)\n+            g()"
    assert file.read_text() == '{"id": "a", "expected": ["f"]}\n'
