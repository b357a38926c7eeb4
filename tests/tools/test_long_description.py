"""The description of the package: no links that only a clone has."""

from __future__ import annotations

import pytest
from tools.distribution.long_description import without_relative_links


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("see [the page](docs/a.md).", "see the page."),
        ("see [LICENSE](LICENSE)", "see LICENSE"),
        ("see [below](#below)", "see below"),
        ("see [a site](https://example.com/a)", "see [a site](https://example.com/a)"),
        ("write [us](mailto:a@example.com)", "write [us](mailto:a@example.com)"),
        ("# A\n\n![The report](docs/a.svg)\n\ntext", "# A\n\ntext"),
        ("# A\n\n[Other language](README.ru.md)\n\ntext", "# A\n\ntext"),
        ("an ![icon](docs/a.svg) here", "an  here"),
        ("an ![icon](https://example.com/a.svg)", "an ![icon](https://example.com/a.svg)"),
        ("| [`a`](a.md), [b](b.md) |", "| `a`, b |"),
        ("```python\nx[0](y)\n```\n[a](b.md)", "```python\nx[0](y)\n```\na"),
    ],
)
def test_relative_links_become_text(text: str, plain: str) -> None:
    assert without_relative_links(text) == plain
