"""Questions with gold answers, and the neutral file format for them (paper, section 5.1)."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retree_core.calls import Hit
from retree_core.errors import InputError
from retree_core.llm import strict_json
from retree_core.search.hits import link


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question of a data set."""

    id: str
    """As the data set gives it."""
    text: str
    answers: tuple[str, ...]
    """Gold answers, of which any one counts."""
    type: str = ""
    """Kind of question, in the data set's own words."""
    wrong_answers: tuple[str, ...] = ()
    """Answers that misleading passages lead to, where the data set names them."""
    passages: tuple[Hit, ...] = ()
    """Passages that come with the question."""


def fixed_subset(questions: Sequence[Question], size: int | None, seed: int = 0) -> tuple[Question, ...]:
    """The same `size` questions for the same seed, in the data set's order; all where there are no more.

    >>> all_ten = [Question(id=str(n), text="?", answers=("a",)) for n in range(10)]
    >>> [one.id for one in fixed_subset(all_ten, 3)]
    ['0', '6', '9']
    """
    if size is None or size >= len(questions):
        return tuple(questions)
    chosen = random.Random(seed).sample(range(len(questions)), size)
    return tuple(questions[place] for place in sorted(chosen))


def distinct_ids(questions: Iterable[tuple[str, Question]]) -> tuple[Question, ...]:
    """The questions of (place in the file, question). Raises InputError where two share an id."""
    seen: dict[str, str] = {}
    kept = []
    for where, one in questions:
        if one.id in seen:
            raise InputError(f"{where}, field 'id': {one.id[:80]!r} is already used at {seen[one.id]}")
        seen[one.id] = where
        kept.append(one)
    return tuple(kept)


def neutral(path: Path) -> tuple[Question, ...]:
    """JSON Lines of {id, question, answers, type?, wrong_answers?, passages?: [{title, text, url?}]}.

    Raises InputError that names line and field.
    """
    return distinct_ids((where, _question(record, where)) for where, record in objects(path))


def objects(path: Path) -> Iterable[tuple[str, dict[str, Any]]]:
    """The JSON object of each line with its place in words. Raises InputError."""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    where = f"{path.name}, line {number}"
                    yield where, _object(line, where)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None


def _object(line: bytes, where: str) -> dict[str, Any]:
    try:
        record = strict_json.loads(line.removeprefix(b"\xef\xbb\xbf"))
    except ValueError as error:
        raise InputError(f"{where}: not JSON ({error})") from None
    if not isinstance(record, dict):
        raise InputError(f"{where}: a JSON {type(record).__name__}, expected an object")
    return record


def _question(record: Mapping[str, Any], where: str) -> Question:
    return Question(
        id=text(record, "id", where),
        text=text(record, "question", where),
        answers=texts(record, "answers", where, least=1),
        type=text(record, "type", where) if record.get("type") else "",
        wrong_answers=texts(record, "wrong_answers", where),
        passages=tuple(_passage(one, where) for one in _list(record, "passages", where)),
    )


def text(record: Mapping[str, Any], field: str, where: str) -> str:
    """A field that must hold some text. Raises InputError."""
    value = record.get(field)
    if isinstance(value, str) and value.strip():
        return value
    found = "missing" if field not in record else "empty" if value == "" else f"a JSON {type(value).__name__}"
    raise InputError(f"{where}, field {field!r}: {found}, expected some text")


def texts(record: Mapping[str, Any], field: str, where: str, least: int = 0) -> tuple[str, ...]:
    """A field that must hold a list of texts. Raises InputError."""
    values = _list(record, field, where)
    if not all(isinstance(one, str) for one in values):
        raise InputError(f"{where}, field {field!r}: expected a list of strings")
    if len(values) < least:
        raise InputError(f"{where}, field {field!r}: empty or missing, expected at least {least}")
    return tuple(values)


def _list(record: Mapping[str, Any], field: str, where: str) -> list[Any]:
    value = record.get(field)
    if value is None:
        return []
    if isinstance(value, list):
        return value
    raise InputError(f"{where}, field {field!r}: a JSON {type(value).__name__}, expected a list")


def _passage(value: Any, where: str) -> Hit:
    if not isinstance(value, dict):
        raise InputError(f"{where}, field 'passages': a JSON {type(value).__name__}, expected an object")
    url = value.get("url")
    return Hit(
        title=text(value, "title", f"{where}, a passage"),
        text=text(value, "text", f"{where}, a passage"),
        url=link(url) if isinstance(url, str) else None,
    )
