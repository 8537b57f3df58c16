"""What the documentation page shows: every address of the API, drawn from its own schema."""

from __future__ import annotations

from typing import Any, NamedTuple

from fastapi import FastAPI


class Field(NamedTuple):
    """A parameter, or a field of a body."""

    name: str
    where: str  # path, query, header, body
    kind: str
    required: bool
    about: str


class Address(NamedTuple):
    """One method of one address."""

    method: str
    path: str
    subject: str
    summary: str
    about: str
    fields: tuple[Field, ...]
    statuses: tuple[str, ...]


def addresses(app: FastAPI) -> list[Address]:
    """Every method of every address, in the order of the schema."""
    schema = app.openapi()
    return [
        _address(schema, method.upper(), path, operation)
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
    ]


def _address(schema: dict[str, Any], method: str, path: str, operation: dict[str, Any]) -> Address:
    summary, _, about = operation.get("description", "").partition("\n\n")
    given = [
        Field(
            one["name"],
            one["in"],
            _kind(one.get("schema", {})),
            bool(one.get("required")),
            one.get("description", ""),
        )
        for one in operation.get("parameters", [])
    ]
    return Address(
        method,
        path,
        next(iter(operation.get("tags", [])), ""),
        " ".join(summary.split()),
        " ".join(about.split()),
        (*given, *_body(schema, operation)),
        tuple(operation.get("responses", {})),
    )


def _body(schema: dict[str, Any], operation: dict[str, Any]) -> list[Field]:
    content = operation.get("requestBody", {}).get("content", {})
    model = content.get("application/json", {}).get("schema", {})
    model = model.get("items", model)
    for either in model.get("anyOf", []):
        model = either if "$ref" in either else model
    name = model.get("$ref", "").rpartition("/")[2]
    found = schema.get("components", {}).get("schemas", {}).get(name, {})
    required = set(found.get("required", []))
    return [
        Field(key, "body", _kind(value), key in required, value.get("description", ""))
        for key, value in found.get("properties", {}).items()
    ]


def _kind(schema: dict[str, Any]) -> str:
    """A type in a word or two."""
    if "enum" in schema:
        return " | ".join(map(str, schema["enum"]))
    either = [_kind(one) for one in schema.get("anyOf", []) if one.get("type") != "null"]
    if either:
        return " | ".join(either)
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    return str(
        schema.get("format")
        or schema.get("type")
        or schema.get("$ref", "object").rpartition("/")[2]
    )
