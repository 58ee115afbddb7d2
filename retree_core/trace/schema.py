"""The JSON Schema of the trace format, made from the dataclasses; `schema.json` beside this file is its current form.

`python -m retree_core.trace.schema` writes it anew after a change to events, calls, settings or records.
"""

from __future__ import annotations

import ast
import inspect
import json
from importlib.resources import files
from pathlib import Path
from typing import Any, get_args

FILE = "schema.json"
_REF = "#/$defs/{model}"
_SEQ = {"type": "integer", "description": "Position in the run, records of all kinds together, from 1"}
_DIGEST = {
    "type": "string",
    "description": "Short SHA-256 of the record without this field and the digest before it; in format 1 of it alone",
}


def shipped() -> str:
    """The schema as it ships with the package."""
    return files(__package__).joinpath(FILE).read_text(encoding="utf-8")


def build() -> dict[str, Any]:
    """The schema of one line of a JSON Lines trace, or of a whole JSON document."""
    from retree_core.trace.records import CallRecord, EventRecord

    parts, definitions = _parts()
    because = {"type": "array", "items": {"type": "integer"}, "description": _field_texts(EventRecord)["because"]}
    call = {
        "call": {"anyOf": [_tagged(parts["ModelCall"], "model"), _tagged(parts["SearchCall"], "search")]},
        "reply": {
            "anyOf": [
                _tagged(parts["ModelReply"], "model"),
                _tagged(parts["SearchReply"], "search"),
                _tagged(parts["CallFailed"], "failed"),
            ]
        },
        "seconds": {"type": "number", "minimum": 0, "description": "From first try to reply, pauses included"},
        "failed_attempts": {"type": "array", "items": parts["Attempt"]},
        "edited": {"type": "boolean", "description": "The reply was put here by a fork; nobody sent it"},
        "beside": {
            "type": "integer",
            "description": "Number of the record of the call that it was made side by side with, just before it",
        },
        "read": {
            "type": "object",
            "description": _field_texts(CallRecord)["read"],
            "properties": {"value": {"type": "object"}, "fault": parts["Fault"], "failed": parts["CallFailed"]},
        },
    }
    known = ["header", "event", "call", *_engine()]
    engine = {type_.__name__: kind for kind, type_ in _engine().items()}
    records = {
        "event_record": _record("event", {"event": _one_event(parts), "because": because}, ["event"]),
        "call_record": _record("call", call, ["call", "reply", "seconds"]),
        **{f"{kind}_record": _engine_record(kind, definitions[name]) for name, kind in engine.items()},
        "other_record": {
            "description": "Kept as it is: `stopped` (why nothing follows), `rewound` (an ending put aside), "
            "`resumed` (who answers from here), or newer",
            "type": "object",
            "properties": {"record": {"type": "string", "not": {"enum": known}}},
            "required": ["record"],
        },
    }
    header = _header(definitions["Header"])
    record = {"anyOf": [{"$ref": _REF.format(model=name)} for name in records]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A ReTree trace: each line of a .jsonl file, or a whole .json document",
        "anyOf": [{"$ref": "#/$defs/header_line"}, *record["anyOf"], {"$ref": "#/$defs/document"}],
        "$defs": {
            "header_line": header,
            **records,
            "document": _document(header, record),
            **{name: one for name, one in sorted(definitions.items()) if name not in ("Header", *engine)},
        },
    }


def _parts() -> tuple[dict[str, Any], dict[str, Any]]:
    """References to the types that records are made of, and all definitions."""
    from pydantic import TypeAdapter

    from retree_core import calls
    from retree_core.events import EVENT_KINDS
    from retree_core.protocol import Fault
    from retree_core.trace.records import Header

    types: list[type[Any]] = [Header, *_engine().values(), *EVENT_KINDS.values(), calls.ModelCall, calls.SearchCall]
    types += [calls.ModelReply, calls.SearchReply, calls.CallFailed, calls.Attempt, Fault]
    inputs: list[Any] = [(one.__name__, "validation", TypeAdapter(one)) for one in types]
    found, rest = TypeAdapter.json_schemas(inputs, ref_template=_REF)
    definitions = dict(rest.get("$defs", {}))
    for (name, _), schema in found.items():
        if "$ref" not in schema:
            definitions.setdefault(str(name), schema)
    for name, one in definitions.items():
        _explain(one, name)
    return {str(name): {"$ref": _REF.format(model=name)} for name, _ in found}, definitions


def _engine() -> dict[str, type[Any]]:
    """What makes a run repeatable: kind of record to its type."""
    from retree_core.trace.records import EngineRecord

    return {one.__name__.removesuffix("Record").lower(): one for one in get_args(EngineRecord)}


def _explain(schema: dict[str, Any], name: str) -> None:
    """Each field's own line of documentation becomes its description."""
    from retree_core import calls, events, memory, protocol, settings, verdicts
    from retree_core.trace import records

    homes = (events, memory, calls, settings, records, verdicts, protocol)
    type_ = next((getattr(home, name) for home in homes if hasattr(home, name)), None)
    if type_ is None:
        raise LookupError(f"{name} is in none of the modules that a trace is made of")
    for field, text in _field_texts(type_).items():
        if field in schema.get("properties", {}):
            schema["properties"][field]["description"] = text


def _field_texts(type_: type[Any]) -> dict[str, str]:
    """Field to the string literal below it."""
    body = ast.parse(inspect.getsource(type_).strip()).body[0]
    assert isinstance(body, ast.ClassDef)
    texts = {}
    for field, below in zip(body.body, body.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and _is_text(below):
            texts[field.target.id] = " ".join(str(below.value.value).split())  # type: ignore[attr-defined]
    return texts


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _one_event(parts: dict[str, Any]) -> dict[str, Any]:
    from retree_core.events import EVENT_KINDS

    return {"anyOf": [_required(parts[one.__name__], "kind") for one in EVENT_KINDS.values()]}


def _required(schema: dict[str, Any], field: str) -> dict[str, Any]:
    return {**schema, "required": [field]}


def _tagged(schema: dict[str, Any], tag: str) -> dict[str, Any]:
    return {**schema, "properties": {"type": {"const": tag}}, "required": ["type"]}


def _record(kind: str, properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "record": {"const": kind},
            "seq": _SEQ,
            "at": {"type": "string", "description": "When it was written, UTC; only displayed"},
            **properties,
            "digest": _DIGEST,
        },
        "required": ["record", "seq", *required],
    }


def _engine_record(kind: str, definition: dict[str, Any]) -> dict[str, Any]:
    fields = {name: one for name, one in definition["properties"].items() if name not in ("seq", "extra")}
    return {
        "description": definition["description"],
        "type": "object",
        "properties": {"record": {"const": kind}, "seq": _SEQ, **fields, "digest": _DIGEST},
        "required": ["record", *definition["required"]],
    }


def _header(definition: dict[str, Any]) -> dict[str, Any]:
    from retree_core.trace.records import FORMAT

    fields = {name: one for name, one in definition["properties"].items() if name != "extra"}
    return {
        "description": definition.get("description", ""),
        "type": "object",
        "properties": {"record": {"const": "header"}, "format": {"const": FORMAT}, **fields, "digest": _DIGEST},
        "required": ["record", "format", *definition["required"]],
    }


def _document(header: dict[str, Any], record: dict[str, Any]) -> dict[str, Any]:
    from retree_core.trace.records import FORMAT

    inner = {**header, "required": [one for one in header["required"] if one not in ("record", "format")]}
    return {
        "type": "object",
        "properties": {
            "format": {"const": FORMAT},
            "version": {"type": "integer"},
            "header": inner,
            "records": {"type": "array", "items": record},
        },
        "required": ["format", "header", "records"],
    }


def text() -> str:
    """The schema as the file holds it."""
    return json.dumps(build(), ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    Path(__file__).with_name(FILE).write_text(text(), encoding="utf-8")
