"""What somebody may call a run, or a baseline: a word by which it is found again."""

from __future__ import annotations

from typing import Any

import click

from callscore.history.run_names import name_fault

__all__ = ["RUN_NAME"]


class _RunName(click.ParamType[str]):
    """A name that can be typed again where a run is meant."""

    name = "name"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        name = str(value).strip()
        fault = name_fault(name)
        if fault is not None:
            self.fail(f"nothing can be called {name!r}: {fault}.", param, ctx)
        return name


RUN_NAME = _RunName()
