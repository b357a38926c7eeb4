"""The pictures of the documentation show what the program prints today."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

IMAGES = Path(__file__).parents[2] / "docs/images"


@pytest.mark.process
def test_the_picture_of_the_report_is_current(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(IMAGES))
    drawn = import_module("make_report_svg").draw()

    shown = (IMAGES / "report.svg").read_text(encoding="utf-8")

    assert drawn == shown, "run `make pictures`: docs/images/report.svg is stale"


def test_every_picture_is_drawn_by_a_script_that_a_test_checks() -> None:
    drawn = {"growth.svg", "report.svg", "scale.svg", "validity.svg"}
    assert {file.name for file in IMAGES.glob("*.svg")} == drawn


def test_every_screenshot_is_small_taken_by_the_script_and_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(IMAGES))
    script = import_module("make_pictures")
    root = IMAGES.parents[1]
    pages = [*root.glob("*.md"), *(root / "docs").rglob("*.md")]
    text = "".join(page.read_text(encoding="utf-8") for page in pages)

    taken = {file.name: file.stat().st_size for file in IMAGES.glob("*.png")}

    assert taken.keys() == set(script.PICTURES)
    assert [name for name, size in taken.items() if size > script.LARGEST] == []
    assert [name for name in taken if f"images/{name})" not in text] == []
