"""Entailment by a local NLI cross-encoder (optional extra `nli`): no server, the same verdict every time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from retree_core.calls import Answered, ModelCall, ModelReply
from retree_core.errors import UsageError
from retree_core.evaluation.verdicts import Judging, Verdict, windows
from retree_core.secrets import redact

MAX_TOKENS = 512
"""Of a window and its claim together; these models read no further."""
WINDOW_CHARACTERS, OVERLAP_CHARACTERS = 1200, 300
DENSE_CHARACTERS, DENSE_OVERLAP = 320, 80
"""Of scripts that take a token or more a character, such as Chinese."""
THRESHOLD = 0.5

Score = Callable[[str, str], float]
"""Probability that a premise entails a claim."""


def entailment(model: str, premise: str, claim: str) -> Judging:
    """Whether a passage entails a claim: the largest probability of its windows is at least THRESHOLD."""
    best = -1.0
    for window in nli_windows(premise):
        reply = yield ModelCall(role="entail", body={"nli": model, "premise": window, "hypothesis": claim})
        found = reply.raw.get("entailment") if isinstance(reply, ModelReply) else None
        if not isinstance(found, int | float):
            return Verdict(said=None, reason="the NLI model gave no number")
        best = max(best, found)
    return Verdict(said=best >= THRESHOLD, reason="the passage is empty" if best < 0 else f"entailment {best:.3f}")


def nli_windows(premise: str) -> tuple[str, ...]:
    """The premise in overlapping pieces that fit the model.

    >>> [len(one) for one in nli_windows("word " * 600)], [len(one) for one in nli_windows("東京" * 200)]
    ([1200, 1200, 1200], [320, 160])
    """
    if len(premise.encode("utf-8", "replace")) > 1.5 * len(premise):
        return windows(premise, DENSE_CHARACTERS, DENSE_OVERLAP)
    return windows(premise, WINDOW_CHARACTERS, OVERLAP_CHARACTERS)


@dataclass
class Nli:
    """A scorer as a model that answers entailment calls, one at a time and beside the event loop."""

    score: Score
    busy: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def complete(self, call: ModelCall) -> Answered:
        async with self.busy:
            found = await asyncio.to_thread(self.score, call.body["premise"], call.body["hypothesis"])
        return Answered(reply=ModelReply(raw={"entailment": round(found, 6)}), seconds=0.0)


def cross_encoder(model: str) -> Score:
    """The scorer of a model that is on this machine already; nothing is downloaded. Raises UsageError."""
    try:
        encoders: Any = import_module("sentence_transformers")
    except ImportError:
        raise UsageError("--entail nli needs an optional part: pip install 'retree[nli]'") from None
    try:
        encoder = encoders.CrossEncoder(model, max_length=MAX_TOKENS, local_files_only=True)
    except (OSError, ValueError) as error:
        why = redact(str(error)).splitlines()[0][:200] if str(error) else type(error).__name__
        raise UsageError(
            f"--nli-model {model}: cannot be loaded from this machine ({why}); download it first"
        ) from None
    place = _entailment_place(encoder, model)

    def score(premise: str, claim: str) -> float:
        return float(encoder.predict([(premise, claim)], apply_softmax=True, show_progress_bar=False)[0][place])

    return score


def _entailment_place(encoder: Any, model: str) -> int:
    """Where the model puts the probability of entailment; models differ in the order of their labels."""
    labels = encoder.config.id2label
    for place, label in labels.items():
        if str(label).casefold() == "entailment":
            return int(place)
    raise UsageError(
        f"--nli-model {model}: none of its labels is `entailment` ({', '.join(map(str, labels.values()))})"
    )
