"""What is wrong with a record, in words: of a check by its types, and of everything else that reading one raises."""

from __future__ import annotations

from typing import Any, Final

from pydantic import ValidationError

from retree_core.llm.strict_json import kind
from retree_core.secrets import redact

LONGEST: Final = 160
_EXPECTED: Final = {
    "string": "text",
    "dict": "an object",
    "mapping": "an object",
    "dataclass": "an object",
    "list": "a list",
    "tuple": "a list",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "none": "null",
}
"""The first word of the type of an error, to what should be there."""


def reason(error: Exception) -> str:
    """One line; never what a file's text says, since that may be a key."""
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False)[0]
        return f"{_place(first['loc'])}{_trouble(first)}"[:LONGEST]
    return redact(str(error))[:LONGEST] or type(error).__name__


def _place(steps: tuple[int | str, ...]) -> str:
    """Where in a record: `facts, item 3, text: `."""
    words = (f"item {one + 1}" if isinstance(one, int) else one for one in steps)
    return f"{', '.join(words)}: " if steps else ""


def _trouble(first: Any) -> str:
    if first["type"] == "missing":
        return "is missing"
    if first["type"] == "literal_error":
        return f"should be {first['ctx']['expected']}"
    if first["type"] == "finite_number":
        return "should be a finite number"
    expected = _EXPECTED.get(first["type"].partition("_")[0])
    return f"should be {expected}, is {_found(first['input'])}" if expected else first["msg"]


def _found(value: Any) -> str:
    return str(value)[:40] if isinstance(value, float) else kind(value)
