"""What a model is asked to reply: one small type a call, its JSON Schema, and the strict door into it.

Keys stand in the order they are to be written: reasons before verdicts. Schemas use only keywords that
xgrammar and llama.cpp both enforce; the reply is validated here again, whatever the server promised.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BeforeValidator, Field, ValidationError

from retree_core.adapters import adapter
from retree_core.secrets import redact
from retree_core.verdicts import Part, Parts


def _at_most(size: int) -> Any:
    """A bound that the schema states and that a longer reply is cut to: too much of a good reply is no error."""
    return BeforeValidator(lambda value: _cut(value, size))


def _cut(value: Any, size: int) -> Any:
    if isinstance(value, str) and len(value) > size:
        return redact(value)[:size]
    return value[:size] if isinstance(value, list) else value


Reason = Annotated[str, _at_most(400), Field(max_length=400)]
Line = Annotated[str, _at_most(240), Field(max_length=240)]
Short = Annotated[str, _at_most(120), Field(max_length=120)]


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyReply:
    """Search or answer (section 4.2)."""

    reason: Reason
    missing: Annotated[list[Short], _at_most(4), Field(max_length=4)]
    action: Literal["search", "answer"]
    query: Line
    evidence: Annotated[list[Short], _at_most(8), Field(max_length=8)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedFact:
    """One item of an extraction; `passage` counts from 1."""

    passage: int
    quote: Line
    fact: Line


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractReply:
    """Facts as the extractor gives them; items are taken one by one (retree_core.agents.retrieval)."""

    facts: Annotated[list[ExtractedFact], _at_most(6), Field(max_length=6)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A pair that may be a contradiction."""

    reason: Reason
    stored: Short
    new: Short


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictReply:
    """Conflict proposals (section 4.3)."""

    pairs: Annotated[list[Candidate], _at_most(4), Field(max_length=4)]


@dataclass(frozen=True, slots=True, kw_only=True)
class PartReply:
    """One part of both facts, in their words."""

    old: Short
    new: Short
    same: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmReply:
    """Confirmation with parts (README: how a contradiction is decided)."""

    question: Line
    """What the stored fact answers, and what both facts are asked."""
    entity: PartReply
    attribute: PartReply
    scope: PartReply
    time: PartReply
    value: PartReply
    reason: Reason
    contradiction: bool
    better: Literal["new", "stored", "neither"]

    @property
    def parts(self) -> Parts:
        def part(one: PartReply) -> Part:
            return Part(old=one.old, new=one.new, same=one.same)

        return Parts(
            entity=part(self.entity),
            attribute=part(self.attribute),
            scope=part(self.scope),
            time=part(self.time),
            value=part(self.value),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperConfirmReply:
    """The paper's plain confirmation."""

    reason: Reason
    apply: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryReply:
    """A bounded summary (section 4.1)."""

    summary: Annotated[str, _at_most(1500), Field(max_length=1500)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportReply:
    """ReportMemory's evolving report (section 5.4)."""

    report: Annotated[str, _at_most(2200), Field(max_length=2200)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimReply:
    """One sentence of the answer."""

    text: Line
    evidence: Annotated[list[Short], _at_most(6), Field(max_length=6)]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerReply:
    """The answer and its claims (section 4.4)."""

    claims: Annotated[list[ClaimReply], _at_most(6), Field(max_length=6)]
    answer: Line


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeReply:
    """Whether an answer is right (section 5.2)."""

    reason: Reason
    correct: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class EntailReply:
    """Whether a passage supports a claim (caption of table 2)."""

    reason: Reason
    supported: bool


Reply = TypeVar("Reply")

REPLIES: dict[str, type[Any]] = {
    "policy": PolicyReply,
    "extract": ExtractReply,
    "conflict": ConflictReply,
    "confirm": ConfirmReply,
    "confirm_paper": PaperConfirmReply,
    "summarise": SummaryReply,
    "report": ReportReply,
    "answer": AnswerReply,
    "judge": JudgeReply,
    "entail": EntailReply,
}
"""Name of a call, as `retree schema` takes it, to what is asked of the model."""


def tidy_id(written: str) -> str:
    """An evidence id as a model may write it, in the tolerated spellings.

    >>> tidy_id(" [E1] ")
    'e1'
    """
    return written.strip().strip("[]").strip().casefold()


def parse(type_: type[Reply], data: object) -> Reply:
    """`data` as `type_`; raises ValueError with one line that names the field."""
    try:
        return adapter(type_).validate_python(data)  # type: ignore[no-any-return]
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise ValueError(redact(f"{'.'.join(map(str, first['loc'])) or 'reply'}: {first['msg']}")[:200]) from None


@cache
def _schema_text(type_: type[Any]) -> str:
    """The schema as JSON text, of which every caller reads a copy of its own."""
    raw = adapter(type_).json_schema()
    return json.dumps(_inlined(raw, raw.get("$defs", {})))


def _inlined(node: Any, definitions: dict[str, Any]) -> Any:
    """A schema without references, titles and docstrings."""
    if isinstance(node, list):
        return [_inlined(one, definitions) for one in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _inlined(definitions[node["$ref"].rsplit("/", 1)[1]], definitions)
    kept = {key: value for key, value in node.items() if key not in ("$defs", "title", "description", "default")}
    if "properties" in kept:
        kept["properties"] = {key: _inlined(value, definitions) for key, value in kept["properties"].items()}
        kept["additionalProperties"] = False
        return kept
    return {key: _inlined(value, definitions) for key, value in kept.items()}


def schema(type_: type[Any], **choices: list[Any]) -> dict[str, Any]:
    """JSON Schema of a reply; `choices` narrows every property of that name to the ids shown in this call.

    The same value to all who ask for the same: it is not to be changed.

    >>> schema(SummaryReply)["required"]
    ['summary']
    """
    shown = tuple((name, tuple(allowed)) for name, allowed in choices.items())
    return _narrowed(type_, shown)  # type: ignore[arg-type]  # a type is hashable


@lru_cache(maxsize=1024)
def _narrowed(type_: type[Any], choices: tuple[tuple[str, tuple[Any, ...]], ...]) -> dict[str, Any]:
    whole: dict[str, Any] = json.loads(_schema_text(type_))  # type: ignore[arg-type]  # a type is hashable
    for name, allowed in choices:
        _narrow(whole, name, list(allowed))
    return whole


def _narrow(node: dict[str, Any], name: str, allowed: list[Any]) -> None:
    for key, one in node.get("properties", {}).items():
        if key == name:
            target = one["items"] if one.get("type") == "array" else one
            if allowed:
                target.pop("maxLength", None)
                target["enum"] = allowed
            elif one.get("type") == "array":
                one["maxItems"] = 0
        else:
            _narrow(one.get("items", one) if one.get("type") == "array" else one, name, allowed)
