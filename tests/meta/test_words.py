"""Sentences that users read keep to docs/contributing/words.md."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = sorted((ROOT / "src").rglob("*.py"))
PAGES = sorted(
    page
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md")]
    if page.name != "words.md"  # it shows what not to write
)

# Wordings that had to be read twice, and what to write in their place.
FORBIDDEN = {
    r"(?<![Tt]here )\b(is|are|was|were) no (?!longer|more\b|better\b|evidence\b|guarantee\b)\w+": "is not a ...",
    r"\b[Ii]s [`'\"]?[\w.{}-]+[`'\"]? meant\b": "Did you mean '...'?",
    r"\bso (many|much|often|long)\b(?! as\b| that\b)": "the number itself: at most N",
    r"\b([Nn]obody|[Ss]omebody(?! else)|[Ww]hoever)\b": "the program, the file, or you",
    r"\bis wanted\b|\bare wanted\b": "required, must be",
    r"\bcomes? to (its|an) end\b": "finish",
    r"\b(is|are) there already\b": "already exists",
    r"\bjust so\b|\bnow so\b|\botherwise than\b|\bwent otherwise\b": "exactly, different",
    r"\b(?:one|an?|two) (?:JSON )?(?:object|answer|case|test|row|result|line|trial|call) an? (?:line|case|file|trial|row|run|day|tool|call|page)\b": "per",
    r"\bin no format\b|\bof no format\b": "in an unknown format",
    r"\bstands? (beside|in|there|alone)\b": "is in, is next to",
    r"\bmind that\b|\bMind that\b|\bnot to mind\b": "Note that, ignore",
    r"\bfour times in five\b": "with 80% power",
    r"\bheld against\b|\bhold (it|them|another|what)\b.{0,30}\bagainst\b": "compared with",
    r"\b(is|are) at fault\b": "has a fault",
    r"\bit is said\b|\bis said\b": "is reported",
}


def _strings(module: Path) -> list[tuple[int, str]]:
    """The texts in a module that are sentences: those with a blank in them."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    return [
        (node.lineno, node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value
    ]


def _prose(page: Path) -> list[tuple[int, str]]:
    text = page.read_text(encoding="utf-8")
    blank = re.sub(
        r"^```.*?^```$",
        lambda code: "\n" * code[0].count("\n"),
        text,
        flags=re.MULTILINE | re.DOTALL,
    )
    return list(enumerate(blank.splitlines(), 1))


@cache
def _sentences() -> list[tuple[Path, int, str]]:
    return [
        *[(module, *found) for module in MODULES for found in _strings(module)],
        *[(page, *found) for page in PAGES for found in _prose(page)],
    ]


@pytest.mark.parametrize("pattern", FORBIDDEN)
def test_sentences_are_plain(pattern: str) -> None:
    found = [
        f"{file.relative_to(ROOT)}:{line}: {match[0]!r}"
        for file, line, text in _sentences()
        for match in re.finditer(pattern, text)
    ]

    assert not found, f"write {FORBIDDEN[pattern]!r}:\n" + "\n".join(found)
