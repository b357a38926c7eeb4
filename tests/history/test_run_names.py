"""What a run, or a baseline, may be called."""

from __future__ import annotations

import pytest

from callscore.errors import InvalidSettings
from callscore.history.records import Baseline
from callscore.history.run_names import MAX_NAME_LENGTH, name_problem, require_no_baseline


@pytest.mark.parametrize(
    "name",
    ["main", "before the change", "v1.2/try-3", "прогон", "latestone", "x" * MAX_NAME_LENGTH],
)
def test_a_word_that_means_nothing_else_is_a_name(name: str) -> None:
    assert name_problem(name) is None


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("", "1 to 200"),
        ("x" * (MAX_NAME_LENGTH + 1), "1 to 200"),
        ("a\nb", "1 to 200"),
        ("\ud800", "1 to 200"),
        (" main", "blank"),
        ("-x", "option"),
        ("latest", "age"),
        ("LATEST", "age"),
        ("latest-run", "age"),
        ("main~2", "age"),
        ("Head", "commit"),
        ("@", "commit"),
        ("main:large", "variant"),
        ("20261115-184354-k3f9", "id of a run"),
    ],
)
def test_what_means_something_else_is_none(name: str, fault: str) -> None:
    assert fault in (name_problem(name) or "")


def test_a_run_is_not_called_like_a_baseline() -> None:
    known = [Baseline(name="main", run="20261115-184354-k3f9", set_at=0.0)]

    require_no_baseline("other", known)
    require_no_baseline(None, known)
    with pytest.raises(InvalidSettings, match="'main' is a baseline, the run 20261115-184354-k3f9"):
        require_no_baseline("main", known)
