"""What judges say of the rows of a results folder. Every reply is kept beside the rows, so a report can be repeated
without a judge, goes on where it stopped, and asks again only for what has no verdict."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from retree_core.calls import Answered, JsonObject, ModelCall
from retree_core.drivers.live import Model
from retree_core.errors import InputError, ModelNeeded
from retree_core.evaluation import nli, verdicts
from retree_core.evaluation.citing import premises
from retree_core.evaluation.results import Results
from retree_core.evaluation.rows import Row
from retree_core.evaluation.verdicts import Judging, Verdict, decided
from retree_core.files import put
from retree_core.llm import strict_json
from retree_core.reply_store import ReplyStore
from retree_core.settings import Sampling, Settings

REPLIES = "judged.jsonl"
NAME = "judge.json"
REASONING_TOKENS = 4000
"""Room for a hosted model that thinks before it replies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judges:
    """Who judges a results folder; empty names judge nothing."""

    model: str = ""
    """Grades answers."""
    entail: Literal["", "llm", "nli"] = ""
    entail_model: str = ""
    """Says what passages entail; of `llm` the same as `model`."""
    hosted: bool = False
    """The server takes OpenAI's own parameters alone."""

    @property
    def verifier(self) -> str:
        """The entailment check and how it reads long passages, in words."""
        if self.entail == "nli":
            limits = f"windows of {nli.WINDOW_CHARACTERS} characters (largest probability counts, from {nli.THRESHOLD})"
            return f"{self.entail_model}, NLI cross-encoder, {nli.MAX_TOKENS} tokens, {limits}"
        if self.entail:
            return f"{self.entail_model}, asked, windows of {verdicts.WINDOW_CHARACTERS} characters (one is enough)"
        return ""


def is_hosted(model: str, url: str) -> bool:
    """Whether a judge takes OpenAI's own parameters alone.

    >>> is_hosted("gpt-5", "https://proxy.example/v1"), is_hosted("Qwen/Qwen3-8B", "http://localhost:30000/v1")
    (True, False)
    """
    return "api.openai.com" in url or bool(re.match(r"(openai/)?(gpt-5|o\d)", model))


def read(folder: Path) -> Judges:
    """Who judged this folder last; nobody where it was not judged. Raises InputError."""
    path = folder / NAME
    if not path.exists():
        return Judges()
    try:
        found = strict_json.loads(path.read_bytes())
        return Judges(**found)
    except (ValueError, TypeError):
        raise InputError(f"{path}: not as retree report writes it; delete it and name the judge again") from None


def remember(folder: Path, judges: Judges) -> None:
    """Keeps who judges, for reports without a judge at hand."""
    put(folder / NAME, (json.dumps(asdict(judges)) + "\n").encode())


Pair = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """What was said; what is not here was not judged."""

    judges: Judges = field(default_factory=Judges)
    answers: dict[tuple[str, tuple[str, ...], str], Verdict] = field(default_factory=dict)
    """By question, gold answers and answer."""
    entailed: dict[Pair, Verdict] = field(default_factory=dict)
    """By premise and claim."""

    def of(self, row: Row) -> Verdict | None:
        """Whether the answer of a row is right; None where it was not judged."""
        return self.answers.get((row.question, row.golds, row.answer))

    def entails(self, premise: str, claim: str) -> bool | None:
        found = self.entailed.get((premise, claim))
        return found.said if found else None


Tell = Callable[[int, int], None]
"""Told how many questions of how many have been put."""


def silent(_: int, __: int) -> None:
    """Tells nobody."""


async def judge(
    rows: Sequence[Row], judges: Judges, store: ReplyStore, *, concurrency: int = 8, tell: Tell = silent
) -> Verdicts:
    """Every verdict on the rows. What `store` lacks, or what was no verdict, its model is asked for (again)."""
    found = Verdicts(judges=judges)
    tasks: list[tuple[dict[Any, Verdict], Hashable, Callable[[], Judging]]] = [
        *((found.answers, key, one) for key, one in _gradings(rows, judges).items()),
        *((found.entailed, key, one) for key, one in _entailments(rows, judges).items()),
    ]
    waiting, finished = iter(tasks), 0

    async def work() -> None:
        nonlocal finished
        for into, key, judging in waiting:
            verdict = await _verdict(judging, judges, store)
            if verdict is not None:
                into[key] = verdict
            finished += 1
            tell(finished, len(tasks))

    await asyncio.gather(*(work() for _ in range(max(1, min(concurrency, len(tasks))))))
    return found


async def kept_verdicts(results: Results) -> Verdicts:
    """The verdicts that are at hand in a folder, with nobody asked."""
    return await judge(results.rows, read(results.folder), ReplyStore(results.folder / REPLIES))


def _gradings(rows: Iterable[Row], judges: Judges) -> dict[Hashable, Callable[[], Judging]]:
    settings = _settings(judges.model)
    if not judges.model:
        return {}
    return {(one.question, one.golds, one.answer): _grading(settings, one) for one in rows}


def _grading(settings: Settings, row: Row) -> Callable[[], Judging]:
    return lambda: verdicts.correctness(settings, row.question, row.golds, row.answer)


def _entailments(rows: Iterable[Row], judges: Judges) -> dict[Hashable, Callable[[], Judging]]:
    if not judges.entail:
        return {}
    pairs = {pair for row in rows for pair in premises([one.cited for one in row.claims], with_alce=True)}
    return {pair: _entailment(judges, *pair) for pair in sorted(pairs)}


def _entailment(judges: Judges, premise: str, claim: str) -> Callable[[], Judging]:
    if judges.entail == "nli":
        return lambda: nli.entailment(judges.entail_model, premise, claim)
    return lambda: verdicts.entailment(_settings(judges.entail_model), premise, claim)


def _settings(model: str) -> Settings:
    return Settings(model=model, sampling=Sampling(temperature=0.0))


async def _verdict(judging: Callable[[], Judging], judges: Judges, store: ReplyStore) -> Verdict | None:
    """The verdict on one question; None where no reply is kept and nobody can be asked."""
    kept, verdict = _Judge(store, hosted=judges.hosted), None
    with contextlib.suppress(ModelNeeded):
        verdict = await decided(judging(), kept)
        if verdict.said is None and not kept.asked:
            verdict = await decided(judging(), _Judge(store, hosted=judges.hosted, anew=True))
    return verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Who can be asked now, of a grader, an entailment model, or both in one."""

    model: Model | None = None
    nli: Model | None = None

    async def complete(self, call: ModelCall) -> Answered:
        """Raises ModelNeeded where the one that this call is for is not at hand."""
        asked = self.nli if "nli" in call.body else self.model
        if asked is None:
            raise ModelNeeded(f"no judge is at hand for this {call.role} call")
        return await asked.complete(call)


@dataclass
class _Judge:
    """The store as a model, with requests as the judge's server takes them."""

    store: ReplyStore
    hosted: bool
    anew: bool = False
    """Kept replies are passed over: they gave no verdict."""
    asked: bool = False

    async def complete(self, call: ModelCall) -> Answered:
        call = replace(call, body=_for_openai(call.body)) if self.hosted and "messages" in call.body else call
        if self.anew or not self.store.holds(call):
            self.asked = True
            return await self.store.ask(call)
        return await self.store.complete(call)


def _for_openai(body: JsonObject) -> dict[str, Any]:
    """A request without what only local servers take; models that reason refuse a temperature and `max_tokens`."""
    schema = body["response_format"]["json_schema"]
    return {
        "model": body["model"],
        "messages": body["messages"],
        "response_format": {"type": "json_schema", "json_schema": {**schema, "strict": False}},
        "seed": body["seed"],
        "max_completion_tokens": REASONING_TOKENS,
    }
