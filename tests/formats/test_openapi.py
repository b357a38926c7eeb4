"""Operations of OpenAPI 3 and Swagger 2 documents as tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

import callscore
from callscore.api import tools_by_name
from callscore.formats.openapi import is_openapi, operation_tools, operations_in

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.core.call import Effect

OPENAPI: dict[str, Any] = {
    "openapi": "3.0.3",
    "info": {"title": "Orders", "version": "1"},
    "paths": {
        "/orders/{id}": {
            "parameters": [{"$ref": "#/components/parameters/Id"}],
            "get": {"operationId": "orderDetails", "summary": "One order."},
            "patch": {
                "operationId": "changeOrder",
                "description": "Change an order.",
                "parameters": [
                    {
                        "name": "notify",
                        "in": "query",
                        "schema": {"type": "boolean", "default": False},
                    }
                ],
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/json": {"schema": {"$ref": "#/components/schemas/Order"}}
                    },
                },
            },
        },
        "/orders": {
            "post": {"requestBody": {"content": {"text/plain": {"schema": {"type": "string"}}}}}
        },
    },
    "components": {
        "parameters": {
            "Id": {
                "name": "id",
                "in": "path",
                "required": True,
                "description": "Which order.",
                "schema": {"type": "string"},
            }
        },
        "schemas": {
            "Order": {
                "type": "object",
                "required": ["items"],
                "properties": {
                    "items": {"type": "array", "items": {"$ref": "#/components/schemas/Item"}},
                    "parent": {"$ref": "#/components/schemas/Order"},
                },
            },
            "Item": {
                "type": "object",
                "properties": {"n": {"type": "integer", "minimum": 0, "exclusiveMinimum": True}},
            },
        },
    },
}
SWAGGER: dict[str, Any] = {
    "swagger": "2.0",
    "paths": {
        "/pets": {
            "get": {
                "operationId": "findPets",
                "parameters": [
                    {
                        "name": "limit",
                        "in": "query",
                        "type": "integer",
                        "required": True,
                        "maximum": 9,
                    }
                ],
            },
            "post": {
                "operationId": "addPet",
                "parameters": [
                    {
                        "name": "pet",
                        "in": "body",
                        "required": True,
                        "schema": {"$ref": "#/definitions/Pet"},
                    },
                    {"name": "photo", "in": "formData", "type": "file"},
                ],
            },
        }
    },
    "definitions": {
        "Pet": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}
    },
}


def document_of(**operations: Any) -> dict[str, Any]:
    return {"openapi": "3.1.0", "paths": {"/x": operations}}


def test_parameters_and_the_fields_of_the_body_are_the_arguments() -> None:
    details, change, new = operation_tools(OPENAPI)

    assert details.parameters == {
        "type": "object",
        "properties": {"id": {"type": "string", "description": "Which order."}},
        "required": ["id"],
    }
    assert (details.description, change.description) == ("One order.", "Change an order.")
    assert change.parameters == {
        "type": "object",
        "properties": {
            "notify": {"type": "boolean", "default": False},
            "id": {"type": "string", "description": "Which order."},
            "items": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
            "parent": {"$ref": "#/$defs/Order"},
        },
        "required": ["id", "items"],
        "$defs": {
            "Item": {
                "type": "object",
                "properties": {"n": {"type": "integer", "exclusiveMinimum": 0}},
            },
            "Order": {
                "type": "object",
                "required": ["items"],
                "properties": {
                    "items": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
                    "parent": {"$ref": "#/$defs/Order"},
                },
            },
        },
    }
    assert new.name == "post_orders"
    assert new.parameters == {"type": "object", "properties": {"body": {"type": "string"}}}


def test_swagger_2_has_its_schemas_in_the_parameters() -> None:
    find, add = operation_tools(SWAGGER)

    assert find.parameters == {
        "type": "object",
        "properties": {"limit": {"type": "integer", "maximum": 9}},
        "required": ["limit"],
    }
    assert add.parameters == {
        "type": "object",
        "properties": {"name": {"type": "string"}, "photo": {}},
        "required": ["name"],
    }


@pytest.mark.parametrize(
    ("method", "effect"),
    [
        *[(method, "read") for method in ("get", "head", "options", "trace", "query")],
        *[(method, "write") for method in ("post", "put", "patch", "delete")],
    ],
)
def test_the_method_declares_the_effect(method: str, effect: Effect) -> None:
    (tool,) = operation_tools(document_of(**{method: {"operationId": "f"}}))
    (operation,) = operations_in(document_of(**{method: {"operationId": "f"}}))

    assert tool.effect == effect
    assert operation.effect == (effect, method.upper())


@pytest.mark.parametrize(
    "said", [{"effect": "read"}, {"x-tool-type": "READ"}, {"annotations": {"readOnlyHint": True}}]
)
def test_the_declared_effect_of_an_operation_comes_before_its_method(said: dict[str, Any]) -> None:
    assert operation_tools(document_of(post={"operationId": "search", **said}))[0].effect == "read"


def test_calls_are_checked_and_scored_by_an_api() -> None:
    (fault,) = callscore.check_calls([("orderDetails", {"id": 5})], tools=OPENAPI)

    assert (fault.kind, fault.path) == ("wrong_type", "$.id")
    calls = [("orderDetails", {"id": "1"})]
    assert callscore.score([], calls, preset="outcome").f1 == 0.0
    assert callscore.score([], calls, preset="outcome", tools=OPENAPI).f1 == 1.0


@pytest.mark.parametrize("name", ["api.json", "api.yaml"])
def test_an_api_is_read_from_files(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(msgspec.json.encode(OPENAPI))  # which is YAML as well

    assert [*tools_by_name(path)] == ["orderDetails", "changeOrder", "post_orders"]
    assert callscore.read_tools(path) == operation_tools(OPENAPI)


def test_words_of_an_example_are_not_effects() -> None:
    example = {"name": "photo", "effect": "blur"}

    tools = tools_by_name(document_of(get={"operationId": "f", "example": example}))

    assert tools["f"].effect == "read"


@pytest.mark.parametrize(
    "document",
    [
        {"openapi": "3.0.0"},
        {"openapi": "3.0.0", "paths": []},
        {"openapi": "4.0.0", "paths": {}},
        {"swagger": "1.2", "paths": {}},
        {"paths": {"/x": {"get": {}}}},
        [],
        None,
    ],
)
def test_other_documents_are_no_api(document: Any) -> None:
    assert not is_openapi(document)


@pytest.mark.parametrize(
    "reference",
    [
        "https://example.org/a.yaml#/X",
        "other.yaml",
        "#/components/schemas/Missing",
        "#/paths/~1x/get/tags",
    ],
)
def test_an_unresolvable_schema_reference_accepts_any_value(reference: str) -> None:
    body = {"content": {"application/json": {"schema": {"$ref": reference}}}}
    document = document_of(post={"operationId": "f", "tags": ["a"], "requestBody": body})

    assert operation_tools(document)[0].parameters == {"type": "object", "properties": {"body": {}}}


@pytest.mark.parametrize(
    "operation",
    [
        {"parameters": "x"},
        {"parameters": [None, 5, {}, {"name": 5}, {"$ref": "#/x"}]},
        {"parameters": [{"$ref": "#/paths/~1x/get/parameters/0"}]},  # itself
        {"requestBody": {"content": {"application/json": 5}}},
        {"requestBody": {"content": {}}},
        {"requestBody": []},
        {"operationId": 5},
    ],
)
def test_broken_parts_are_left_out(operation: dict[str, Any]) -> None:
    tools = operation_tools(document_of(get=operation))

    assert [tool.effect for tool in tools] == ["read"]
    assert tools[0].parameters is not None


def test_paths_may_be_anything() -> None:
    document = {
        "openapi": "3.0.0",
        "paths": {"/a": None, "/b": [], 5: {"get": {}}, "/c": {"get": 1}},
    }

    assert [tool.name for tool in operation_tools(document)] == ["get_5"]


def test_deep_schemas_end_in_anything() -> None:
    schema: dict[str, Any] = {}
    for _ in range(5_000):
        schema = {"items": schema}
    document = document_of(
        get={"operationId": "f", "parameters": [{"name": "a", "in": "query", "schema": schema}]}
    )

    (tool,) = operation_tools(document)

    assert tool.parameters is not None
    depth, part = 0, tool.parameters["properties"]["a"]
    while part:
        depth, part = depth + 1, part["items"]
    assert depth < 200


def test_schemas_of_the_same_name_are_told_apart() -> None:
    document = {
        **document_of(
            get={
                "operationId": "f",
                "parameters": [
                    {"name": "a", "in": "query", "schema": {"$ref": "#/components/schemas/X"}},
                    {"name": "b", "in": "query", "schema": {"$ref": "#/components/others/X"}},
                ],
            }
        ),
        "components": {"schemas": {"X": {"type": "string"}}, "others": {"X": {"type": "integer"}}},
    }

    parameters = operation_tools(document)[0].parameters

    assert parameters is not None
    targets = [parameters["properties"][name]["$ref"].rpartition("/")[2] for name in "ab"]
    assert [parameters["$defs"][name]["type"] for name in targets] == ["string", "integer"]


def test_long_chains_of_references_are_followed() -> None:
    count = 3_000
    schemas: dict[str, Any] = {
        f"S{number}": {"items": {"$ref": f"#/components/schemas/S{number + 1}"}}
        for number in range(count)
    }
    parameter = {"name": "a", "in": "query", "schema": {"$ref": "#/components/schemas/S0"}}
    document = {
        **document_of(get={"operationId": "f", "parameters": [parameter]}),
        "components": {"schemas": schemas},
    }

    (tool,) = operation_tools(document)

    assert tool.parameters is not None
    assert tool.parameters["$defs"].keys() == schemas.keys()
    assert tool.parameters["$defs"][f"S{count - 1}"] == {"items": {}}
