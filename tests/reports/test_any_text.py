"""Whatever the names and values of a case are, a report shows them, and is never controlled by them."""

from __future__ import annotations

import io
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import msgspec
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

import callscore
from callscore.cli.program import cli

if TYPE_CHECKING:
    from pathlib import Path

    from callscore import Score

_NASTY = (
    *("\x1b[31m", "[red]", "|", "`", "```", "<b>", "</script>", "&amp;", "\x00", "\n", "\r", "\t"),
    *("::error::", "##[group]", "\u202e", "\u200b", "\ufeff", "\x85", "\u2028", "]]>", "<!--", "%"),
    *(
        "日本",
        "שלום",
        "🙂",
        "e\u0301",
        "\\",
        '"',
        "'",
        "$",
        "{x}",
        "*",
        "_",
        "#",
        " ",
        "a",
        "Ж",
        "\ud83d",
    ),
)
_TEXTS = st.lists(st.sampled_from(_NASTY), min_size=1, max_size=8).map("".join)
_CONTROL = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)
_COMMAND = re.compile(r"^\s*::|##\w*\[", re.MULTILINE)
_FENCED = re.compile(r"^(`{3,})\w*\n.*?^\1$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`")
_TAG = re.compile(r"<(?!/?(?:code|details|summary)>)[a-zA-Z/!]")
_once = settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])


def _score(text: str, other: str) -> Score:
    return callscore.score(
        [(text, {other: text, "a": other}), ("f", {"x": text})],
        [(text, {other: other, "a": text}), ("f", {"x": [text, {other: 1}]}), (other, {})],
    )


def _printed(score: Score, width: int) -> str:
    console = Console(file=io.StringIO(), width=width, color_system=None)
    with console.capture() as capture:
        console.print(score)
    return capture.get()


@settings(max_examples=40)
@given(_TEXTS, _TEXTS, st.integers(40, 130))
def test_a_score_in_python_is_printable_and_fits(text: str, other: str, width: int) -> None:
    score = _score(text, other)

    printed = _printed(score, width)
    shown = [printed, str(score), repr(score), score.explain(), score.explain(lang="ru")]

    assert not [each for each in shown if _CONTROL.search(each)]
    assert max(cell_len(line) for line in printed.splitlines()) <= width
    assert "\n" not in repr(score)


def _record(text: str, other: str) -> dict[str, Any]:
    made = [{"name": text, "arguments": {other: other}}, {"name": other, "arguments": {}}]
    return {
        "id": text,
        "tags": [other],
        "input": other,
        # A key that begins with "$" would be a rule.
        "expected": [{"name": text, "arguments": {"$literal": {other: text}}}],
        "actual": made,
    }


def _report(folder: Path, text: str, other: str, output_format: str) -> str:
    file = folder / "cases.jsonl"
    records = [_record(text, other), _record("plain", "other")]
    file.write_bytes(msgspec.json.Encoder().encode_lines(records))
    words = ["score", str(file), "--format", output_format, "--show", "all"]
    result = CliRunner().invoke(cli, words, env={"COLUMNS": "80"})
    assert result.exception is None
    return result.stdout_bytes.decode()


_ENCODABLE = _TEXTS.filter(lambda text: "\ud83d" not in text and text.strip())


@_once
@given(_ENCODABLE, _ENCODABLE)
@example("::error::a", "##[group]")
@pytest.mark.parametrize("output_format", ["table", "markdown", "json", "jsonl", "junit"])
def test_a_report_has_no_hidden_characters_and_no_commands(
    tmp_path: Path, output_format: str, text: str, other: str
) -> None:
    report = _report(tmp_path, text, other, output_format)

    assert not _CONTROL.search(report)
    assert not _COMMAND.search(report)


@_once
@given(_ENCODABLE, _ENCODABLE)
def test_json_and_xml_mean_what_was_read(tmp_path: Path, text: str, other: str) -> None:
    [case, _] = msgspec.json.decode(_report(tmp_path, text, other, "json"))["cases"]
    tests = [*ET.fromstring(_report(tmp_path, text, other, "junit")).iter("testcase")]  # noqa: S314  (our own)

    assert case["id"] == text
    assert [call["name"] for call in case["extra"]] == [other] * (text != other) or case["extra"]
    assert len(tests) == 2
    assert tests[1].get("name") == "plain"


@_once
@given(_ENCODABLE, _ENCODABLE)
@example("`|`", "a|b")
def test_markdown_has_only_its_own_markup(tmp_path: Path, text: str, other: str) -> None:
    report = _report(tmp_path, text, other, "markdown")

    bare = _CODE.sub("", _FENCED.sub("", report))

    assert not _TAG.search(bare)
    for block in bare.split("\n\n"):
        rows = [line for line in block.splitlines() if line.startswith("| ")]
        assert len({row.count("|") for row in rows}) <= 1, rows


class _Elements(HTMLParser):
    """The tags of a document, and nothing inside of scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag."""
        self.tags.append(f"{tag} {len(attrs)}")


def _tags(report: str) -> list[str]:
    parser = _Elements()
    parser.feed(report)
    return [tag for tag in parser.tags if tag.split()[0] not in ("tr", "td")]


@settings(_once, max_examples=3)
@given(_ENCODABLE, _ENCODABLE)
@example("</script><b>", "<!--<script>")
def test_html_has_the_same_elements_whatever_the_text(
    tmp_path: Path, text: str, other: str
) -> None:
    tags = _tags(_report(tmp_path, text, other, "html"))

    assert tags == _tags(_report(tmp_path, "a", "b", "html"))
