"""The description of the package: the README, without the links and pictures that only a clone has.

Hatchling loads this when it builds. A page of a package index has none of the files of the repository,
so that a relative link would lead nowhere there.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

__all__ = ["LongDescription", "without_relative_links"]

_FENCE = re.compile(r"^(?P<fence>```+)[^\n]*\n.*?^(?P=fence)[ \t]*$", re.MULTILINE | re.DOTALL)
_IMAGE = re.compile(r"!\[[^\]]*\]\((?P<target>[^)\s]*)\)")
_LINK = re.compile(r"(?<!!)\[(?P<text>[^\[\]]*)\]\((?P<target>[^)\s]*)\)")
# A paragraph of nothing but such a link or picture says nothing without it.
_ALONE = re.compile(r"^!?\[[^\]]*\]\((?P<target>[^)\s]*)\)\n\n", re.MULTILINE)
_ABSOLUTE = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


class LongDescription(MetadataHookInterface):
    """Sets the field `readme`, which pyproject.toml declares as dynamic."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the description."""
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": without_relative_links(text),
        }


def without_relative_links(markdown: str) -> str:
    """The text with relative links as plain text, and without relative pictures.

    Blocks of code stay as they are.
    """
    parts: list[str] = []
    end = 0
    for block in _FENCE.finditer(markdown):
        parts += [_plain(markdown[end : block.start()]), block.group()]
        end = block.end()
    return "".join([*parts, _plain(markdown[end:])])


def _plain(text: str) -> str:
    text = _ALONE.sub(lambda found: _unless_absolute(found, ""), text)
    text = _IMAGE.sub(lambda found: _unless_absolute(found, ""), text)
    return _LINK.sub(lambda found: _unless_absolute(found, found["text"]), text)


def _unless_absolute(found: re.Match[str], instead: str) -> str:
    return found.group() if _ABSOLUTE.match(found["target"]) else instead
