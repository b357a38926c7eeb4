"""The line below a report with markers."""

from __future__ import annotations

import pytest

from callscore.hiding.hider import hide_text
from callscore.hiding.legend import legend, with_legend
from callscore.hiding.markers import Markers, current_markers, new_key

FIRST, SECOND = "the-first-secret", "another-secret-now"


@pytest.fixture(autouse=True)
def secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRM_API_KEY", FIRST)
    monkeypatch.setenv("OTHER_TOKEN", SECOND)


def test_the_legend_names_the_variables_whose_values_are_hidden() -> None:
    one, both = hide_text(f"k={FIRST}"), hide_text(f"{SECOND} {FIRST}")

    assert legend(one) == (
        "[hidden …]: values of CRM_API_KEY; equal markers are equal values."
        " Scores use the real values."
    )
    assert "values of CRM_API_KEY, OTHER_TOKEN;" in legend(both)
    assert legend(both, "ru").startswith("[hidden …]: значения CRM_API_KEY, OTHER_TOKEN; ")
    assert with_legend(one) == f"{one}\n\n{legend(one)}"


def test_markers_are_found_as_reports_write_them() -> None:
    marker = hide_text(FIRST)
    forms = {
        "wrapped": marker.replace(" ", "\n   "),
        "cut": f"{marker[:14]}…",
        "of Markdown": marker.replace("[", "&#91;").replace("]", "&#93;"),
        "encoded": hide_text(FIRST.encode().hex()),
    }

    assert [form for form, text in forms.items() if "CRM_API_KEY;" not in legend(text)] == []


def test_markers_of_earlier_processes_are_named_if_the_variable_has_the_same_value() -> None:
    markers = Markers(new_key())
    markers.of(FIRST, FIRST)
    saved = current_markers().of("a-secret-that-is-not-set-now", "a-secret-that-is-not-set-now")

    assert legend(saved).startswith("[hidden …]: secrets of the environment; ")
    assert "values of CRM_API_KEY, …;" in legend(f"{saved} {hide_text(FIRST)}")
