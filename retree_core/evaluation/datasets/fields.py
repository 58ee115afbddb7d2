"""What is asked of the fields of a record; whatever is not there as expected is an InputError that names it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from retree_core.calls import Hit
from retree_core.errors import InputError
from retree_core.evaluation.questions import Question
from retree_core.llm import strict_json
from retree_core.secrets import redact


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One record of a file, or a part of one."""

    where: str
    """File and line or item, in words."""
    number: int
    """Among its like, from 1."""
    fields: Mapping[str, Any]


def any_case(record: Record) -> Record:
    """The record with its field names in lower case."""
    return replace(record, fields={name.lower(): value for name, value in record.fields.items()})


def first_of(record: Record, *fields: str) -> str:
    """The first of these fields that the record has; the first of all where it has none."""
    return next((one for one in fields if one in record.fields), fields[0])


def text(record: Record, field: str) -> str:
    """A field that must hold some text. Raises InputError."""
    value = record.fields.get(field)
    if isinstance(value, str) and value.strip():
        return value
    raise _unfit(record, field, "some text")


def text_if_any(record: Record, field: str) -> str:
    """A field that may be missing or empty, but is text otherwise. Raises InputError."""
    return text(record, field) if record.fields.get(field) not in (None, "") else ""


def text_or_blank(record: Record, field: str) -> str:
    """A field that must hold text, which may be blank. Raises InputError."""
    value = record.fields.get(field)
    return value if isinstance(value, str) else text(record, field)


def identity(record: Record, field: str) -> str:
    """A field that must hold an id: some text, or a whole number. Raises InputError."""
    value = record.fields.get(field)
    return str(value) if type(value) is int else text(record, field)


def answers(record: Record, field: str) -> tuple[str, ...]:
    """A field that must hold an answer or a list of such: text or numbers, not all of it blank. Raises InputError."""
    found = answers_if_any(record, field)
    if not found:
        raise _unfit(record, field, "an answer")
    return found


def answers_if_any(record: Record, field: str) -> tuple[str, ...]:
    """As `answers`, none where it is missing or blank. Raises InputError."""
    value = record.fields.get(field)
    given = value if isinstance(value, list) else [] if value is None else [value]
    if not all(type(one) in (str, int, float) for one in given):
        raise _unfit(record, field, "an answer or a list of answers, each text or a number")
    return tuple(dict.fromkeys(str(one) for one in given if str(one).strip()))


def parts(record: Record, field: str, called: str) -> tuple[Record, ...]:
    """A field that must hold a list of objects. Raises InputError."""
    found = []
    for number, one in enumerate(items(record, field), 1):
        where = f"{record.where}, {called} {number}"
        if not isinstance(one, dict):
            raise InputError(f"{where}: {_kind(one)}, expected an object")
        found.append(Record(where=where, number=number, fields=one))
    return tuple(found)


def items(record: Record, field: str) -> list[Any]:
    """A field that must hold a list. Raises InputError."""
    value = record.fields.get(field)
    if isinstance(value, list):
        return value
    raise _unfit(record, field, "a list")


def passages(found: Iterable[tuple[str, str]]) -> tuple[Hit, ...]:
    """Hits of (title, text), but for those without text, which no search could find."""
    return tuple(Hit(title=title, text=body) for title, body in _without_nul(found) if body.strip())


def _without_nul(found: Iterable[tuple[str, str]]) -> Iterable[tuple[str, str]]:
    return ((title.replace("\x00", ""), body.replace("\x00", "")) for title, body in found)


def distinct(questions: Iterable[tuple[Record, Question]]) -> tuple[Question, ...]:
    """The questions. Raises InputError where two share an id."""
    seen: dict[str, str] = {}
    kept = []
    for record, one in questions:
        if one.id in seen:
            raise InputError(f"{record.where}: the id {redact(one.id)[:80]!r} is already used at {seen[one.id]}")
        seen[one.id] = record.where
        kept.append(one)
    return tuple(kept)


def _unfit(record: Record, field: str, expected: str) -> InputError:
    found = _kind(record.fields[field]) if field in record.fields else "missing"
    return InputError(f"{record.where}, field {field!r}: {found}, expected {expected}")


def _kind(value: Any) -> str:
    if value is None or value == [] or (isinstance(value, str) and not value.strip()):
        return "empty"
    return strict_json.kind(value)
