"""`callscore schema`, as it is typed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from callscore.evaluations.suite_schema import suite_json_schema
from callscore.formats.case_schema import build_case_schema

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.e2e.conftest import Program

PUBLISHED = Path(__file__).parents[2] / "docs/reference"
every_schema = pytest.mark.parametrize(
    ("name", "schema"), [("case", build_case_schema), ("suite", suite_json_schema)]
)


@every_schema
def test_a_schema_is_printed_as_json(
    callscore: Program, name: str, schema: Callable[[], dict[str, Any]]
) -> None:
    ran = callscore("schema", name)

    assert (ran.returncode, ran.stderr) == (0, "")
    assert msgspec.json.decode(ran.stdout) == schema()


@every_schema
def test_a_published_schema_is_what_the_command_writes(
    callscore: Program, tmp_path: Path, name: str, schema: Callable[[], dict[str, Any]]
) -> None:
    written = tmp_path / "written.json"

    ran = callscore("schema", name, "-o", written)

    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
    published = (PUBLISHED / f"{name}.schema.json").read_text()
    assert written.read_text() == published  # renewed by `make pictures`
    assert msgspec.json.decode(published) == schema()
