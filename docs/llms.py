"""Writes docs/llms.txt, the list of pages for language models, from the index.

python docs/llms.py --write
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

DOCS = Path(__file__).parent
PAGE = DOCS / "llms.txt"
_HEADING = re.compile(r"^(#+) (.+)$")
_ROW = re.compile(r"^\| (?P<about>[^|]+) \| (?P<links>.+) \|$")
_LINK = re.compile(r"\[([^\]]+)\]\(([^)]+)\)")
# What a model can leave out if it has little room: a name that the format gives a meaning.
_OPTIONAL = ("Explanation", "Project")
_NOTES = """\
Pages are Markdown. To write and run evaluations, start with [Teach a coding agent](how-to/teach-a-coding-agent.md).
`callscore COMMAND --help` prints the options of a command, `callscore schema case` and `callscore schema suite` the JSON Schemas of the files, and
`callscore validate FILE` finds mistakes in them. `callscore mcp` serves tools for scoring and for saved runs."""


def llms_text(index: str) -> str:
    """The list of pages, from the text of the index."""
    title, summary = _start_of(index)
    lines = [f"# {title}", "", f"> {summary}", "", _NOTES]
    optional: list[str] = []
    section, current = "", lines
    for line in index.splitlines():
        heading, row = _HEADING.match(line), _ROW.match(line)
        if heading and len(heading[1]) > 1:
            is_optional = heading[2] in _OPTIONAL or (len(heading[1]) > 2 and current is optional)  # noqa: PLR2004  (a subsection)
            current = optional if is_optional else lines
            section = heading[2]
        elif row and _LINK.search(row["links"]):
            if section:
                heads = [] if current is optional else ["", f"## {section}", ""]
                current += heads
                section = ""
            current += [
                f"- [{name}]({place}): {row['about']}"
                for name, place in _LINK.findall(row["links"])
            ]
    return "\n".join([*lines, "", "## Optional", "", *optional]) + "\n"


def _start_of(index: str) -> tuple[str, str]:
    """The title of the index, and its first paragraph of text in one line."""
    title, *blocks = index.split("\n\n")
    summary = next(block for block in blocks if not block.startswith(("[", "#", "|", "!")))
    return title.removeprefix("# "), " ".join(summary.split())


def main(words: list[str]) -> int:
    """Write the list, or print it."""
    text = llms_text((DOCS / "index.md").read_text(encoding="utf-8"))
    if words == ["--write"]:
        PAGE.write_text(text, encoding="utf-8")
        print(f"wrote {PAGE}")
    else:
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
