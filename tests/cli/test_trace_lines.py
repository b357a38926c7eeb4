"""The lines of `callscore receive`: what they say begins at the same column, whatever comes next."""

from __future__ import annotations

import pytest

from callscore.cli.output import open_output
from callscore.cli.trace_lines import TraceLines
from callscore.receiving.closed_traces import ClosedTrace
from callscore.receiving.scoring import Outcome


def shown(capsys: pytest.CaptureFixture[str], names: list[str], *ids: str) -> list[str]:
    with open_output(None, "table", "en") as output:
        lines = TraceLines(output, "session.id", "en", names)
        for name in ids:
            trace = ClosedTrace(id=name, trace_id=name, part=1, closed_by="root")
            lines.show(trace, Outcome("unknown"))
    return capsys.readouterr().out.splitlines()


def test_a_long_id_does_not_move_the_lines_after_it(capsys: pytest.CaptureFixture[str]) -> None:
    found = shown(capsys, ["paris", "berlin"], "paris", "a" * 32, "berlin", "rome")

    assert [line.index("not scored") for line in found] == [9, 35, 9, 9]


@pytest.mark.parametrize(("names", "column"), [([], 35), (["x" * 500], 43), (["日本"], 7)])
def test_the_first_column_is_as_wide_as_the_ids_that_will_come(
    capsys: pytest.CaptureFixture[str], names: list[str], column: int
) -> None:
    (found,) = shown(capsys, names, "a")

    assert found.index("not scored") == column
