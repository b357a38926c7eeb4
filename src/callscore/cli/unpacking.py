"""The option that limits how much is unpacked from compressed files."""

from __future__ import annotations

import re

import click

_SIZE = re.compile(r"([0-9]{1,15})([KMGT]?)B?", re.IGNORECASE)
_SIZE_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def _apply_max_unpacked(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
    """Set the limit until the command ends."""
    if value is None:
        return
    found = _SIZE.fullmatch(value.strip())
    if found is None or not int(found[1]):
        raise click.BadParameter(f"{value!r} is not a size such as 512M or 2G.")
    from callscore.sources.files import max_unpacked, set_max_unpacked  # runs need no files

    before = max_unpacked()
    set_max_unpacked(int(found[1]) * _SIZE_UNITS[found[2].upper()])
    ctx.call_on_close(lambda: set_max_unpacked(before))


max_unpacked_option = click.option(
    "--max-unpacked",
    metavar="SIZE",
    expose_value=False,
    callback=_apply_max_unpacked,
    help="Largest document, line or entry of a compressed file, unpacked (default 64M).",
)
