"""Every setting that changes what a run does. A trace's header holds all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, get_args

AgentName = Literal["retree", "react", "flat", "report"]
"""ReTree and the paper's three controls (section 5.4): Full-Trajectory ReAct, FlatUpdate, ReportMemory."""
AGENTS: tuple[AgentName, ...] = get_args(AgentName)
WITHOUT_TREE: tuple[AgentName, ...] = ("react", "flat", "report")
"""Agents whose memory is no tree."""
ImportedAgent = Literal["imported"]
"""Stands for the unknown agent of a record that another program made; it cannot be run."""
JudgeName = Literal["guarded", "paper"]
SummaryCall = Literal["after", "beside"]
"""When the model is asked for the summary of a new node (see `Settings.summary_call`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """Decoding parameters, sent with every model call (defaults: the Qwen3 model card, thinking off)."""

    __pydantic_config__: ClassVar[Mapping[str, bool]] = {"allow_inf_nan": False}

    temperature: float = 0.7
    top_p: float = 0.8
    top_k: int = 20
    seed: int = 0
    """Paper, section 5.3. A server may still answer differently; only the record repeats a run."""
    thinking: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ForcedVerdict:
    """A decision that a fork takes instead of the judge (see `retree fork`)."""

    search: int
    old: str
    new: str
    repair: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Handover:
    """From some call on another model answers: a fork or a resumed run with the server of now."""

    calls: int
    """Model calls made before."""
    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Settings of one run; equal settings, question and replies give equal events."""

    agent: AgentName | ImportedAgent = "retree"
    model: str = "Qwen/Qwen3-8B"
    judge: JudgeName = "guarded"
    sampling: Sampling = field(default_factory=Sampling)
    max_searches: int = 8
    """Paper, section 5.3."""
    passages_per_search: int = 5
    facts_per_search: int = 6
    shown_evidence: int = 5
    """The k of top-k."""
    summary_words: int = 140
    report_words: int = 200
    """ReportMemory's one text (section 5.3)."""
    on_repair: Literal["set_aside", "keep_facts"] = "set_aside"
    """What becomes of the other new facts of a repairing search."""
    summary_call: SummaryCall = "after"
    """After the conflict check, once nothing is repaired (the paper's order); or beside it, so that a search step waits
    for one call less, and a repair discards the summary."""
    repairs_per_fact: int = 3
    reply_attempts: int = 3
    """Tries for a reply that validates, first one included."""
    forced: tuple[ForcedVerdict, ...] = ()
    handovers: tuple[Handover, ...] = ()
    """In order of calls."""

    @property
    def last_model(self) -> str:
        """The model in charge at the end."""
        return self.handovers[-1].model if self.handovers else self.model

    def model_of_call(self, made: int) -> str:
        """The model that answers after so many model calls."""
        return next((one.model for one in reversed(self.handovers) if one.calls <= made), self.model)

    def handed_over(self, made: int, model: str) -> Settings:
        """The settings with `model` in charge after so many model calls."""
        before = tuple(one for one in self.handovers if one.calls < made)
        kept = replace(self, handovers=before)
        if kept.model_of_call(made) == model:
            return kept
        return replace(kept, handovers=(*before, Handover(calls=made, model=model)))


FORMER_DEFAULTS: Mapping[int, Mapping[str, Any]] = {
    1: {
        "agent": "retree",
        "model": "Qwen/Qwen3-8B",
        "judge": "guarded",
        "sampling": {"temperature": 0.7, "top_p": 0.8, "top_k": 20, "seed": 0, "thinking": False},
        "max_searches": 8,
        "passages_per_search": 5,
        "facts_per_search": 6,
        "shown_evidence": 5,
        "summary_words": 140,
        "report_words": 200,
        "on_repair": "set_aside",
        "summary_call": "after",
        "repairs_per_fact": 3,
        "reply_attempts": 3,
        "forced": [],
        "handovers": [],
    }
}
"""Version of a format to the settings of runs whose record leaves them out: they never change."""


def settings_of(version: int, recorded: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a record of an older format, whole; of today's as they are."""
    former = FORMER_DEFAULTS.get(version)
    if former is None:
        return dict(recorded)
    sampling = recorded.get("sampling")
    if isinstance(sampling, Mapping):
        recorded = {**recorded, "sampling": {**former["sampling"], **sampling}}
    return {**former, **recorded}
