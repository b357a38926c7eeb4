"""The option that limits how much is unpacked."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from callscore.cli.unpacking import max_unpacked_option
from callscore.sources.files import MAX_UNPACKED, max_unpacked


@click.command
@max_unpacked_option
def show_limit() -> None:
    click.echo(max_unpacked())


@pytest.mark.parametrize(
    ("size", "limit"),
    [("512M", 512 << 20), ("2g", 2 << 30), ("1TB", 1 << 40), ("10", 10), ("3kb", 3 << 10)],
)
def test_a_size_limits_what_is_unpacked_until_the_command_ends(size: str, limit: int) -> None:
    result = CliRunner().invoke(show_limit, ["--max-unpacked", size])

    assert result.output == f"{limit}\n"
    assert max_unpacked() == MAX_UNPACKED


@pytest.mark.parametrize("size", ["0", "-1", "x", "1.5G", "", "9" * 5000, "1 P"])
def test_what_is_not_a_size_is_refused(size: str) -> None:
    result = CliRunner().invoke(show_limit, ["--max-unpacked", size])

    assert result.exit_code == 2
    assert "is not a size such as 512M or 2G." in result.output
