"""The file of a report: one document that makes no request, whatever is in it."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256

from callscore.reports.html.bundle import ReportFile, file_parts, json_in_script


def written(title: str = "cases.jsonl", summary: str = "<p>All passed</p>") -> str:
    report = ReportFile(b"{}", b"aW5kZXg=", [b"Y2h1bms="], title=title, summary=summary)
    return b"".join(file_parts(report, "en")).decode()


def test_the_policy_allows_its_own_script_and_style_and_nothing_else() -> None:
    text = written()
    [policy] = re.findall(r'Content-Security-Policy" content="([^"]+)"', text)
    [script] = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    [style] = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)

    for kind, content in (("script-src", script), ("style-src", style)):
        digest = b64encode(sha256(content.encode()).digest()).decode()
        assert f"{kind} 'sha256-{digest}';" in policy
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy


def test_the_title_is_text() -> None:
    text = written(title="</title><script>alert(1)</script>\u202e")

    assert "<title>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;\\u202e</title>" in text


def test_no_text_of_the_document_can_end_the_element_that_it_is_in() -> None:
    found = json_in_script('{"a":"</script><!--\u202e\u200b"}'.encode())

    assert b"<" not in found
    assert found.isascii()


def test_the_file_names_no_address() -> None:
    text = written()

    without = re.sub(r"http://www\.w3\.org/[\w/]+", "", text)  # names of XML, never asked for
    assert not re.search(r"https?://", without)
    assert "src=" not in re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL)


def test_the_script_precedes_the_chunks() -> None:
    text = written()

    assert text.index("<script>") < text.index('id="chunk-0"')
    assert text.index('id="report"') < text.index('id="index"') < text.index("<script>")
