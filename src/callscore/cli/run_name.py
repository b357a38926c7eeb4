"""What somebody may call a run: a word by which it is found again."""

from __future__ import annotations

import re
from typing import Any

import click

__all__ = ["RUN_NAME"]

_LONGEST = 200
# What finds runs by their age finds no other by that.
_LATEST = re.compile(r"latest(?:~.*)?", re.DOTALL)


class _RunName(click.ParamType[str]):
    """A name that can be typed again where a run is meant."""

    name = "name"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        name = str(value).strip()
        if not name or len(name) > _LONGEST or not name.isprintable():
            self.fail(f"a name has 1 to {_LONGEST} characters that can be read.", param, ctx)
        if name.startswith("-"):
            self.fail(f"{name!r} begins like an option.", param, ctx)
        if _LATEST.fullmatch(name):
            self.fail(f"{name!r} is the run that is just so old. Choose another name.", param, ctx)
        return name


RUN_NAME = _RunName()
