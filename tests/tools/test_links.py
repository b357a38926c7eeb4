"""What the checker of a built site finds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tools.site.links import faults

if TYPE_CHECKING:
    from pathlib import Path


def built(folder: Path, body: str) -> Path:
    (folder / "guide").mkdir()
    (folder / "guide/index.html").write_text(
        '<h1 id="top">Guide</h1><h2 id="größe">Size</h2>', encoding="utf-8"
    )
    (folder / "picture.png").write_bytes(b"")
    (folder / "index.html").write_text(f"<h1 id='start'>Start</h1>{body}", encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    "body",
    [
        '<a href="guide/">ok</a>',
        '<a href="guide/index.html">ok</a>',
        '<a href="guide/#top">ok</a>',
        '<a href="guide/#gr%C3%B6%C3%9Fe">ok</a>',
        '<a href="#start">ok</a>',
        '<a href="./">ok</a>',
        '<a href=".">ok</a>',
        '<img src="picture.png">',
        '<a href="https://example.org/nothing">a link that a person follows</a>',
        '<link rel="canonical" href="https://example.org/">',
        '<a href="mailto:a@example.org">ok</a>',
    ],
)
def test_a_link_that_leads_somewhere_is_no_fault(body: str, tmp_path: Path) -> None:
    assert faults(built(tmp_path, body)) == []


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ('<a href="gone/">x</a>', "does not lead to a file of the site"),
        ('<a href="guide">x</a>', "does not lead to a file of the site"),
        ('<a href="/guide/">x</a>', "does not lead to a file of the site"),
        ('<a href="../outside.html">x</a>', "does not lead to a file of the site"),
        ('<img src="gone.png">', "does not lead to a file of the site"),
        ('<a href="guide/#gone">x</a>', "leads to an anchor that its page does not have"),
        ('<a href="#gone">x</a>', "leads to an anchor that its page does not have"),
    ],
)
def test_a_broken_link_is_a_fault(body: str, fault: str, tmp_path: Path) -> None:
    (found,) = faults(built(tmp_path, body))

    assert found.startswith("index.html: the link ")
    assert found.endswith(fault)


@pytest.mark.parametrize(
    "body",
    [
        '<script src="https://example.org/x.js"></script>',
        '<link rel="stylesheet" href="https://example.org/x.css">',
        '<link rel="preconnect" href="//example.org">',
        '<img src="https://example.org/x.png">',
        '<iframe src="http://example.org/"></iframe>',
    ],
)
def test_a_resource_loaded_from_another_host_is_a_fault(body: str, tmp_path: Path) -> None:
    (found,) = faults(built(tmp_path, body))

    assert "from another host" in found
