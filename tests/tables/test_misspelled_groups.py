"""A keyword with a typo is refused, with its place and what was meant, by the reader and in editors."""

from __future__ import annotations

from itertools import product
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from click.testing import CliRunner
from tests.tables.rows import check_rows, of_table

import callscore
from callscore.cli.program import cli
from callscore.errors import CallscoreError

# One letter left out, added, replaced or moved; in another case, with another separator, as a rule.
TYPOS = {
    "in_order": "in_ordre in_oder inn_order in-order inorder inOrder InOrder IN_ORDER im_order $in_order",
    "any_order": "any_ordre any_odrer anyorder anyOrder ny_order many_order any_order_ $any_order",
    "one_of": "one_off one_fo on_of oneOf one-of One_of ome_of $one_of",
    "optional": "optionl optinoal Optional pptional poptional optionall $optional",
    "turn": "trun tur turnn Turn tirn urn $turn",
    "forbid": "forbidden forbidd fobid forbdi Forbid dorbid orbid $forbid",
}
# Calls of BFCL: the possible values of each argument by the name of the tool.
TOOLS = ("search", "order", "inorder", "turns", "time", "optimal", "forbes_list", "argmax", "names")


@pytest.fixture(scope="module")
def schema() -> jsonschema_rs.Draft7Validator:
    printed = CliRunner().invoke(cli, ["schema", "case"]).output
    return jsonschema_rs.Draft7Validator(msgspec.json.decode(printed))


def said(expected: Any) -> str:
    """The error of the reader; empty if it reads what is expected."""
    try:
        callscore.score(expected, [])
    except CallscoreError as error:
        return str(error)
    return ""


@of_table("misspelled_groups")
def test_a_misspelled_keyword_is_refused_wherever_it_is(
    table: str, schema: jsonschema_rs.Draft7Validator
) -> None:
    def check(row: dict[str, Any]) -> str:
        template = msgspec.json.encode(row["expected"]).decode()
        found = []
        for word, typos in TYPOS.items():
            for typo in typos.split():
                expected = msgspec.json.decode(template.replace("?", typo))
                error = said(expected)
                if not error.startswith(f"{row['at']}: ") or word not in error or typo not in error:
                    found.append(f"{typo}: {error or 'it was read'}")
                if schema.is_valid({"id": "1", "expected": expected}):
                    found.append(f"{typo}: the schema accepts it")
        return "; ".join(found)

    check_rows(table, check)


def test_a_tool_whose_name_is_like_a_keyword_is_a_call_in_the_notation_of_bfcl(
    schema: jsonschema_rs.Draft7Validator,
) -> None:
    for tool, argument in product(TOOLS, ("query", "option", "time", "order")):
        expected = [{tool: {argument: ["x", "y"]}}]

        score = callscore.score(expected, [{"name": tool, "arguments": {argument: "y"}}])

        assert score.score == 1, expected
        assert schema.is_valid({"id": "1", "expected": expected}), expected
