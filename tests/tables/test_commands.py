"""What commands print and how they exit: the tables listed below."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.tables.commands import observer
from tests.tables.rows import changes, check_observed, check_rows, of_table

if TYPE_CHECKING:
    from pathlib import Path


TABLES = (
    *("refusals", "exits", "notes", "outputs", "data"),
    *(pytest.param(name, marks=pytest.mark.slow) for name in ("history", "evaluations")),
)


@of_table(*TABLES)
def test_commands_do_what_the_table_says(
    table: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_observed(table, observer(tmp_path, monkeypatch))


@of_table("options")
def test_an_option_refuses_a_value_in_every_command_that_has_it(
    table: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    observe = observer(tmp_path, monkeypatch)

    def refused(row: dict[str, Any]) -> str:
        option = row["option"].replace("=", " ").split()[0]
        names = {"--jobs": "'-j' / '--jobs'", "--count": "'-n' / '--count'"}
        name = names.get(option, f"'{option}'")
        err = f"Invalid value for {name}: {row['err']}"
        steps = [
            {"run": f"{command} {row['option']}", "exit": 2, "err": err}
            for command in row["commands"]
        ]
        return changes({"steps": steps}, observe({"steps": steps}))

    check_rows(table, refused)
