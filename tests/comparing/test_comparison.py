"""What a comparison says of itself."""

from __future__ import annotations

from callscore.comparing.changes import CaseChange
from callscore.comparing.comparison import Comparison, SideSummary
from callscore.comparing.differences import Difference


def test_a_comparison_gives_its_changes_by_kind_and_its_verdict() -> None:
    broken = CaseChange(kind="broken", evaluation="weather", case="a")
    fixed = CaseChange(kind="fixed", evaluation="weather", case="b")

    found = Comparison(
        before=SideSummary(label="main"),
        after=SideSummary(label="latest"),
        main=Difference(measure="passed", cases=2, before=0.5, after=0.75, verdict="no evidence"),
        changes=(broken, fixed),
    )

    assert found.verdict == "no evidence"
    assert found.main.change == 0.25
    assert (found.changed("broken"), found.changed("fixed")) == ((broken,), (fixed,))
    assert found.to_dict()["verdict"] == "no evidence"
