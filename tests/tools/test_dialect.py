"""Markdown as GitHub reads it, written as the site generator reads it."""

from __future__ import annotations

import pytest
from tools.site.dialect import as_generator_reads_it


def written(text: str) -> str:
    return as_generator_reads_it(text, output="Output")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- a\n  - b\n    - c\n- d\n", "- a\n    - b\n        - c\n- d\n"),
        ("1. a\n\n   More.\n2. b\n", "1. a\n\n    More.\n\n2. b\n"),
        ("Text:\n- a\n- b\n", "Text:\n\n- a\n- b\n"),
        ("- a\n  goes on\nand on\n\nText\n", "- a\n    goes on\nand on\n\nText\n"),
        ("- a\n\nText\n  indented\n", "- a\n\nText\n  indented\n"),
    ],
)
def test_lists_are_indented_by_four(text: str, expected: str) -> None:
    assert written(text) == expected


def test_a_code_block_in_a_list_moves_with_it() -> None:
    text = "1. a\n\n   ```bash\n   x\n     y\n   ```\n"

    assert written(text) == "1. a\n\n    ```bash\n    x\n      y\n    ```\n"


def test_the_content_of_a_code_block_stays_as_it_is() -> None:
    text = "```text\n- a\n  - b\n| `x\\|y` |\n```\n"

    assert written(text) == text


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("```text output", '```text title="Output"'),
        ("```text output spark", '```text title="Output"'),
        ("```python spark", "```python"),
        ("```bash", "```bash"),
        ("```", "```"),
    ],
)
def test_words_after_the_language_of_a_block_are_not_for_readers(line: str, expected: str) -> None:
    assert written(f"{line}\nx\n```\n") == f"{expected}\nx\n```\n"


def test_a_pipe_in_code_in_a_table_needs_no_backslash() -> None:
    assert written("| `a\\|b` | c\\|d |\n") == "| `a|b` | c\\|d |\n"
