"""The operations of an OpenAPI 3 or Swagger 2 document as tools; GET and HEAD only read.

References to other files are never followed: what they stand for may be anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from callscore.core.call import Effect, Tool
from callscore.core.schemas.references import resolve_reference
from callscore.formats.effects import DeclaredEffect, declared_effect
from callscore.formats.shape import dicts, list_of, text_of

VERSION_KEYS: Final = ("openapi", "swagger")
# RFC 9110 calls these methods safe; QUERY, of OpenAPI 3.2, is as well. Any other may change something.
_METHODS: Final[dict[str, Effect]] = {
    **dict.fromkeys(("get", "head", "options", "trace", "query"), "read"),
    **dict.fromkeys(("post", "put", "patch", "delete"), "write"),
}
_JSON = "application/json"
_BODY = "body"
_MAX_DEPTH = 100  # of a schema; what is nested deeper may be anything
_MAX_REFERENCES = 20  # that lead to one another
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9]+")
# What a parameter of Swagger 2 has besides its schema.
_NOT_IN_SCHEMAS = frozenset(
    ("name", "in", "required", "collectionFormat", "allowEmptyValue", "schema", "content")
)
_LIMITS = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}


class Operation(NamedTuple):
    """One operation: what it is called, what it declares, and where it is."""

    name: str
    effect: DeclaredEffect
    item: dict[str, Any]  # of its path
    content: dict[str, Any]


def is_openapi(document: Any) -> bool:
    """Whether a document describes an API in OpenAPI 3 or Swagger 2."""
    if not isinstance(document, dict) or not isinstance(document.get("paths"), dict):
        return False
    versions = [str(document.get(key, "")) for key in VERSION_KEYS]
    return versions[0].startswith("3") or versions[1].startswith("2")


def operations_in(document: dict[str, Any]) -> Iterator[Operation]:
    """The operations of a document, in its order.

    One without an `operationId` is named after its method and its path: `get_users_id`.
    """
    for path, value in document["paths"].items():
        item = _resolved(document, value)
        for method, effect in _METHODS.items():
            content = item.get(method)
            if isinstance(content, dict):
                given = text_of(content.get("operationId"))
                name = given or _NOT_IN_NAMES.sub("_", f"{method} {path}").strip("_")
                declared = declared_effect(content) or DeclaredEffect(effect, method.upper())
                yield Operation(name, declared, item, content)


def operation_tools(document: dict[str, Any]) -> list[Tool]:
    """The tools of a document: one for each operation."""
    schemas = _Schemas(document)
    return [
        Tool(
            operation.name,
            text_of(operation.content.get("description"))
            or text_of(operation.content.get("summary")),
            _parameters(operation, schemas),
            operation.effect.effect,
        )
        for operation in operations_in(document)
    ]


def _resolved(document: dict[str, Any], value: Any) -> dict[str, Any]:
    """An object, or what its local reference stands for; empty if that is nothing."""
    for _ in range(_MAX_REFERENCES):
        if not isinstance(value, dict):
            return {}
        if not isinstance(value.get("$ref"), str):
            return value
        value = resolve_reference(document, value["$ref"])
    return {}


def _parameters(operation: Operation, schemas: _Schemas) -> dict[str, Any]:
    """The JSON Schema of the arguments: the parameters, and the fields of the body."""
    properties: dict[str, Any] = {}
    required: dict[str, None] = {}
    document = schemas.document
    # A parameter of the operation replaces that of its path.
    listed = [*dicts(operation.content.get("parameters")), *dicts(operation.item.get("parameters"))]
    for parameter in [_resolved(document, each) for each in listed]:
        name = text_of(parameter.get("name"))
        if not name or name in properties:
            continue
        is_required = parameter.get("required") is True
        if parameter.get("in") == _BODY:
            _add_body(parameter.get("schema"), properties, required, schemas, is_required)
            continue
        properties[name] = schemas.of_parameter(parameter)
        required |= {name: None} if is_required else {}
    body = _resolved(document, operation.content.get("requestBody"))
    if body:
        schema = _body_schema(body)
        _add_body(schema, properties, required, schemas, body.get("required") is True)
    found: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        found["required"] = [*required]
    used = schemas.definitions_for(properties)
    return {**found, "$defs": used} if used else found


def _body_schema(body: dict[str, Any]) -> Any:
    content = body.get("content")
    if not isinstance(content, dict) or not content:
        return {}
    media = content.get(_JSON, next(iter(content.values())))
    return media.get("schema") if isinstance(media, dict) else {}


def _add_body(
    schema: Any,
    properties: dict[str, Any],
    required: dict[str, None],
    schemas: _Schemas,
    is_required: bool,  # noqa: FBT001  (a fact of the document)
) -> None:
    """Add the fields of a body to the arguments; a body that is not an object is one argument."""
    resolved = _resolved(schemas.document, schema)
    fields = resolved.get("properties")
    if not isinstance(fields, dict) or not fields:
        properties.setdefault(_BODY, schemas.converted(schema))
        required |= {_BODY: None} if is_required else {}
        return
    for name, field in fields.items():
        properties.setdefault(str(name), schemas.converted(field))
    if is_required:
        needed = [name for name in list_of(resolved.get("required")) if name in fields]
        required |= dict.fromkeys(needed)


class _Schemas:
    """Turns the schemas of a document into JSON Schemas that do not refer to it."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self._names: dict[str, str] = {}  # in `$defs`, by reference
        self._converted: dict[str, Any] = {}  # by name in `$defs`
        self._pending: list[tuple[str, Any]] = []  # names whose targets are not converted yet
        self._uses: dict[str, set[str]] = {}  # of names by names

    def of_parameter(self, parameter: dict[str, Any]) -> Any:
        """The schema of a parameter: its own, that of its content, or in Swagger 2 its fields."""
        schema = parameter.get("schema")
        if schema is None and isinstance(parameter.get("content"), dict):
            schema = _body_schema(parameter)
        if schema is None:
            schema = {key: parameter[key] for key in parameter if key not in _NOT_IN_SCHEMAS}
        found = self.converted(schema)
        description = text_of(parameter.get("description"))
        is_described = description and isinstance(found, dict) and "$ref" not in found
        return {"description": description, **found} if is_described else found

    def converted(self, schema: Any, depth: int = 0) -> Any:
        """A part of a schema, as JSON Schema; what is nested too deeply may be anything."""
        if depth > _MAX_DEPTH or (schema is None and not depth):
            return {}
        if isinstance(schema, list):
            return [self.converted(item, depth + 1) for item in schema]
        if not isinstance(schema, dict):
            return schema
        return self._converted_object(schema, depth)

    def _converted_object(self, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        if isinstance(schema.get("$ref"), str):
            name = self._name_of(schema["$ref"])
            return {} if name is None else {"$ref": f"#/$defs/{name}"}
        converted = {
            str(key): self.converted(value, depth + 1)
            for key, value in schema.items()
            if not (key == "required" and isinstance(value, bool))
        }
        if converted.get("type") == "file":  # only Swagger 2 has it
            del converted["type"]
        return _with_numeric_limits(converted)

    def _name_of(self, reference: str) -> str | None:
        """The name of the target of a reference in `$defs`; None if it is not in the document."""
        known = self._names.get(reference)
        if known is not None:
            return known
        target = resolve_reference(self.document, reference)
        if not isinstance(target, dict):
            return None
        last = _NOT_IN_NAMES.sub("_", reference.rpartition("/")[2])
        name = f"{last}_{len(self._names)}" if last in self._converted else last
        self._names[reference] = name
        self._converted[name] = {}
        # Converted later: a schema may refer to itself, or begin a long chain.
        self._pending.append((name, target))
        return name

    def definitions_for(self, schema: Any) -> dict[str, Any]:
        """What `$defs` must have for a converted schema."""
        while self._pending:
            name, target = self._pending.pop()
            self._converted[name] = self.converted(target)
        pending, found = [*self._names_in(schema)], dict[str, Any]()
        while pending:
            name = pending.pop()
            if name not in found:
                found[name] = self._converted[name]
                if name not in self._uses:
                    self._uses[name] = self._names_in(found[name])
                pending += self._uses[name]
        return dict(sorted(found.items()))

    def _names_in(self, schema: Any) -> set[str]:
        found: set[str] = set()
        pending = [schema]
        while pending:
            part = pending.pop()
            if isinstance(part, list):
                pending += part
            elif isinstance(part, dict):
                reference = part.get("$ref")
                if isinstance(reference, str):
                    found.add(reference.removeprefix("#/$defs/"))
                pending += part.values()
        return found & self._converted.keys()


def _with_numeric_limits(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema whose exclusive limits are numbers: before OpenAPI 3.1 they are true or false."""
    for keyword, limit in _LIMITS.items():
        is_exclusive = schema.get(keyword)
        if isinstance(is_exclusive, bool):
            del schema[keyword]
            if is_exclusive and limit in schema:
                schema[keyword] = schema.pop(limit)
    return schema
