"""`callscore schema`, as it is typed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from callscore.formats.case_schema import case_schema

if TYPE_CHECKING:
    from tests.e2e.conftest import Program

PUBLISHED = Path(__file__).parents[2] / "docs/reference/case.schema.json"


def test_the_schema_of_a_case_is_printed_as_json(callscore: Program) -> None:
    ran = callscore("schema", "case")

    assert (ran.returncode, ran.stderr) == (0, "")
    assert msgspec.json.decode(ran.stdout) == case_schema()


def test_the_published_schema_is_what_the_command_writes(
    callscore: Program, tmp_path: Path
) -> None:
    written = tmp_path / "case.schema.json"

    ran = callscore("schema", "case", "-o", written)

    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
    assert written.read_text() == PUBLISHED.read_text()  # renewed by `make pictures`


def test_without_a_name_the_schemas_are_listed(callscore: Program) -> None:
    ran = callscore("schema")

    assert ran.returncode == 0
    assert ran.stdout == "case  A case, a list of cases, or an object with `cases`.\n"


def test_a_schema_that_there_is_not_is_wrong_usage(callscore: Program) -> None:
    near, far = callscore("schema", "cases"), callscore("schema", "result\x1b")

    assert (near.returncode, far.returncode) == (2, 2)
    assert "there is no schema 'cases'. Is 'case' meant? `callscore schema`" in near.stderr
    assert "there is no schema 'result\\x1b'. `callscore schema` lists all." in far.stderr
