"""The attributes of a span under flat, dotted names, whichever way they were written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from retree_core.llm import strict_json

MOST_ATTRIBUTES = 20_000
"""Of one span, flattened."""
_DEEPEST = 40


def flat_attributes(raw: Mapping[str, Any]) -> dict[str, Any]:
    """All attributes under flat names: of a list of OTLP pairs, of an object, or of `attributes.*` columns."""
    found = raw.get("attributes")
    flat: dict[str, Any] = {}
    if isinstance(found, list):
        found = {one["key"]: _otlp_value(one.get("value")) for one in found if _is_pair(one)}
    _flatten("", found if isinstance(found, Mapping) else {}, flat, 0)
    for key, value in raw.items():
        if isinstance(key, str) and key.startswith("attributes."):
            _flatten(key.removeprefix("attributes."), value, flat, 0)
    return flat


def _is_pair(value: Any) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get("key"), str)


def _otlp_value(value: Any, depth: int = 0) -> Any:
    """A JSON value from OTLP's tagged one; whole numbers come as strings there."""
    if not isinstance(value, Mapping) or depth > _DEEPEST:
        return None
    for tag, one in value.items():
        match tag:
            case "intValue":
                return int(one) if re.fullmatch(r"-?\d{1,19}", str(one)) else None
            case "arrayValue":
                return [_otlp_value(each, depth + 1) for each in as_list(as_object(one), "values")]
            case "kvlistValue":
                pairs = as_list(as_object(one), "values")
                return {each["key"]: _otlp_value(each.get("value"), depth + 1) for each in pairs if _is_pair(each)}
            case "stringValue" | "doubleValue" | "boolValue" | "bytesValue":
                return one
    return None


def _flatten(prefix: str, value: Any, into: dict[str, Any], depth: int) -> None:
    if len(into) >= MOST_ATTRIBUTES or depth > _DEEPEST:
        return
    if isinstance(value, Mapping):
        for key, one in value.items():
            _flatten(f"{prefix}.{key}" if prefix else str(key), one, into, depth + 1)
    elif isinstance(value, list):
        for place, one in enumerate(value):
            _flatten(f"{prefix}.{place}", one, into, depth + 1)
    elif value is not None:
        into[prefix] = value


def rows(attributes: Mapping[str, Any], prefix: str) -> list[dict[str, Any]]:
    """The objects of a flattened list, in order: `PREFIX.0.NAME`, `PREFIX.1.NAME`, ..."""
    rows: dict[int, dict[str, Any]] = {}
    for key, value in attributes.items():
        number, _, name = key.removeprefix(f"{prefix}.").partition(".")
        if key.startswith(f"{prefix}.") and name and number.isascii() and number.isdigit() and len(number) < 7:
            rows.setdefault(int(number), {})[name] = value
    return [rows[number] for number in sorted(rows)]


def as_object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def as_list(raw: Mapping[str, Any], *keys: str) -> list[Any]:
    return next((raw[key] for key in keys if isinstance(raw.get(key), list)), [])


def json_object(value: Any) -> Mapping[str, Any]:
    try:
        return as_object(strict_json.exact(value)) if isinstance(value, str) else as_object(value)
    except ValueError:
        return {}
