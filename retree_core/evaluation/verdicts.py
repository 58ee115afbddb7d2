"""Questions to a judge model with a yes or no, and a third state where it gives neither (paper, section 5.2)."""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, Literal

from retree_core.calls import CallFailed, ModelCall, ModelReply, Reply
from retree_core.drivers.live import Model
from retree_core.llm.envelope import ReplyInvalid, read_completion, read_json
from retree_core.prompts import installed, messages, quoted
from retree_core.rendering import MAX_TOKENS, request_body
from retree_core.replies import EntailReply, JudgeReply, parse, schema
from retree_core.secrets import redact
from retree_core.settings import Settings

WINDOW_CHARACTERS = 2000
"""A longer premise is judged window by window, and one that supports the claim is enough."""
OVERLAP_CHARACTERS = 400

_WORDS = re.compile(
    r"(?:^|[.:;!?…]\s*|\b(?:final|verdict|answer|grade)\b[^.:;!?…]{0,20}[:=]\s*)[*_\"'(]*(correct|incorrect|supported|"
    r"unsupported|not supported|true|false|yes|no)[*_\"').]*\s*$",
    re.IGNORECASE,
)
_YES = ("correct", "supported", "true", "yes")


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a judge said."""

    said: bool | None
    """None: no verdict was given, which is neither right nor wrong."""
    reason: str


Judging = Generator[ModelCall, Reply | None, Verdict]


def correctness(settings: Settings, question: str, golds: tuple[str, ...], prediction: str) -> Judging:
    """Whether a predicted answer is right. A blank one is wrong, and no call is made for it."""
    if not prediction.strip():
        return Verdict(said=False, reason="no answer was given")
    prompt = messages(
        installed()["judge"],
        question=question,
        golds="\n".join(f"- {quoted(one)}" for one in golds),
        prediction=quoted(prediction),
    )
    return (yield from _asked(settings, "judge", JudgeReply, "correct", prompt))


def entailment(settings: Settings, premise: str, claim: str) -> Judging:
    """Whether a passage supports a claim; of a long passage, whether one window does."""
    verdict = Verdict(said=False, reason="the passage is empty")
    unknown: Verdict | None = None
    for window in windows(premise):
        prompt = messages(installed()["entail"], passage=quoted(window), claim=quoted(claim))
        verdict = yield from _asked(settings, "entail", EntailReply, "supported", prompt)
        if verdict.said:
            return verdict
        unknown = unknown or (verdict if verdict.said is None else None)
    return unknown or verdict


def windows(premise: str, size: int = WINDOW_CHARACTERS, overlap: int = OVERLAP_CHARACTERS) -> tuple[str, ...]:
    """The premise in pieces of at most `size` characters that overlap, so that no sentence is lost at a border.

    >>> [len(one) for one in windows("x" * 4000)]
    [2000, 2000, 800]
    """
    starts = range(0, max(1, len(premise) - overlap), size - overlap)
    return tuple(premise[start : start + size] for start in starts) if premise.strip() else ()


def _asked(
    settings: Settings,
    role: Literal["judge", "entail"],
    type_: type[Any],
    field: str,
    prompt: list[dict[str, str]],
) -> Judging:
    reason = ""
    for attempt in range(1, settings.reply_attempts + 1):
        body = request_body(settings, role, schema(type_), prompt, MAX_TOKENS[role], attempt)
        reply = yield ModelCall(role=role, body=body)
        if isinstance(reply, CallFailed):
            return Verdict(said=None, reason=reply.message)
        try:
            return _read(reply, type_, field)
        except ValueError as error:
            reason = " ".join(redact(str(error)).split())[:200]
    return Verdict(said=None, reason=f"no verdict in the reply ({reason})")


def _read(reply: Reply | None, type_: type[Any], field: str) -> Verdict:
    if not isinstance(reply, ModelReply):
        raise TypeError(f"a model call needs a model reply, got {type(reply).__name__}")
    completion = read_completion(reply.raw)
    if isinstance(completion, CallFailed):
        return Verdict(said=None, reason=completion.message)
    try:
        data = read_json(completion)
    except ReplyInvalid as error:
        said = verdict_in(completion.content)
        if said is None:
            raise ValueError(str(error)) from None
        return Verdict(said=said, reason="given in words")
    found = parse(type_, {"reason": "", **data})
    return Verdict(said=getattr(found, field), reason=found.reason)


def verdict_in(text: str) -> bool | None:
    """The verdict that a text without JSON ends on; words in its reasoning do not count.

    >>> verdict_in("At first CORRECT, then I saw the year. Final: INCORRECT"), verdict_in("As the answer differs: B")
    (False, None)
    """
    lines = [one.strip() for one in text.splitlines() if one.strip()]
    found = _WORDS.search(lines[-1]) if lines else None
    return found[1].lower() in _YES if found else None


async def decided(judging: Judging, model: Model) -> Verdict:
    """Drives a question to its verdict."""
    reply: Reply | None = None
    while True:
        try:
            call = judging.send(reply)
        except StopIteration as end:
            verdict: Verdict = end.value
            return verdict
        reply = (await model.complete(call)).reply
