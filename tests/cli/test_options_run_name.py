"""What a run may be called."""

from __future__ import annotations

import click
import pytest

from callscore.cli.options import RUN_NAME


@pytest.mark.parametrize("name", ["main", "before the change", "v1.2/try-3", "прогон", "latestone"])
def test_a_word_that_can_be_typed_again_is_a_name(name: str) -> None:
    assert RUN_NAME.convert(f" {name} ", None, None) == name


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("", "1 to 200"),
        ("   ", "1 to 200"),
        ("x" * 201, "1 to 200"),
        ("a\x1b[2J", "1 to 200"),
        ("-x", "like an option"),
        ("latest", "by its age"),
        ("latest~2", "by its age"),
        ("Latest-try", "by its age"),
        ("main~2", "by its age"),
        ("HEAD", "a commit"),
        ("main:large", "a variant"),
        ("20261115-184354-k3f9", "the id of a run"),
    ],
)
def test_what_would_not_be_found_again_is_none(name: str, told: str) -> None:
    with pytest.raises(click.BadParameter, match=told):
        RUN_NAME.convert(name, None, None)
