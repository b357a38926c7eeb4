"""The JSON Schemas as the catalog SchemaStore wants them: draft-07, an `$id`, files that are valid and not."""

from __future__ import annotations

import re
import tomllib
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema_rs
import msgspec
import pytest
from ruamel.yaml import YAML

from callscore.cli.schema import schema_text

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "tests/meta/schemastore"
PAGE = ROOT / "docs/how-to/check-case-files-in-your-editor.md"
NAMES = ("case", "suite")
# Keywords that later drafts have, and draft-07 would ignore.
LATER = {
    *("$anchor", "$defs", "$dynamicAnchor", "$dynamicRef", "$recursiveRef", "$vocabulary"),
    *("dependentRequired", "dependentSchemas", "deprecated", "maxContains", "minContains"),
    *("prefixItems", "unevaluatedItems", "unevaluatedProperties"),
}


def _schema(name: str) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.json.decode(schema_text(name))
    return found


def _schemas_in(schema: Any) -> Iterator[dict[str, Any]]:
    """All objects in a schema, except names of properties and examples."""
    if isinstance(schema, list):
        for each in schema:
            yield from _schemas_in(each)
    if isinstance(schema, dict):
        yield schema
        for word, value in schema.items():
            if word in {"properties", "patternProperties", "definitions"}:
                yield from _schemas_in(list(value.values()))
            elif word not in {"const", "default", "enum", "examples"}:
                yield from _schemas_in(value)


def _document(path: Path) -> Any:
    if path.suffix == ".toml":
        return tomllib.loads(path.read_text(encoding="utf-8"))
    if path.suffix == ".json":
        return msgspec.json.decode(path.read_bytes())
    return YAML(typ="safe", pure=True).load(path)


def _files(kind: str) -> list[Path]:
    return sorted((SAMPLES / kind).glob("*/*"))


def _catalog() -> list[dict[str, Any]]:
    blocks = re.findall(
        r"^```json\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    (entries,) = [
        found for block in blocks if isinstance(found := msgspec.json.decode(block), list)
    ]
    return entries


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_of_draft_07_and_says_what_it_is(name: str) -> None:
    schema = _schema(name)

    assert list(schema)[:5] == ["$schema", "$id", "$comment", "title", "description"]
    assert schema["$schema"] == "http://json-schema.org/draft-07/schema#"
    assert jsonschema_rs.meta.is_valid(schema)


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_has_nothing_that_draft_07_ignores(name: str) -> None:
    for each in _schemas_in(_schema(name)):
        assert not LATER & each.keys()
        assert "$ref" not in each or len(each) == 1


@pytest.mark.parametrize("path", _files("test"), ids=lambda path: path.name)
def test_a_valid_file_is_valid(path: Path) -> None:
    schema = _schema(path.parent.name.removeprefix("callscore-"))

    assert [*map(str, jsonschema_rs.Draft7Validator(schema).iter_errors(_document(path)))] == []


@pytest.mark.parametrize("path", _files("negative_test"), ids=lambda path: path.name)
def test_an_invalid_file_is_not(path: Path) -> None:
    schema = _schema(path.parent.name.removeprefix("callscore-"))

    assert not jsonschema_rs.Draft7Validator(schema).is_valid(_document(path))


def test_each_schema_has_valid_and_invalid_files() -> None:
    wanted = {f"callscore-{name}" for name in NAMES}

    for kind in ("test", "negative_test"):
        assert {path.parent.name for path in _files(kind)} == wanted


def test_the_catalog_has_an_entry_for_each_schema_that_finds_its_files() -> None:
    entries = {entry["url"]: entry["fileMatch"] for entry in _catalog()}

    assert entries.keys() == {_schema(name)["$id"] for name in NAMES}
    for path in [*_files("test"), *_files("negative_test")]:
        (found,) = [
            url
            for url, patterns in entries.items()
            if any(fnmatch(path.name, pattern) for pattern in patterns)
        ]
        assert found.endswith(f"/{path.parent.name}.json")
