"""What the charts draw, from the record alone; long runs are thinned, and say so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from retree_core import events as ev
from retree_core.memory import Evidence
from retree_core.state import State
from retree_core.why.calls import Total, total
from retree_core.why.standing import fate_words
from retree_viz.html import visible
from retree_viz.run import Run
from retree_viz.timeline.data import MARKS, cited_by, lane_marks

MOST_POINTS = 240
"""Points of one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """One policy context."""

    retrievals: int
    """Searches made before it."""
    characters: int
    moment: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """How many facts there are at a moment."""

    moment: int
    active: int
    pruned: int
    superseded: int
    """Values that repairs replaced."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What the calls of a role took, up to a moment."""

    role: str
    calls: int
    prompt: int
    """Tokens that were not served from a cache."""
    cached: int | None
    """None: the server did not say."""
    completion: int
    uncounted: int
    """Calls whose tokens the server did not report."""
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """One piece of evidence, or one passage, on the time axis."""

    id: str
    born: int
    gone: int | None
    """When it went out of force."""
    marks: tuple[tuple[int, str], ...] = field(default=())
    """Moment and the timeline's letter of what happened to it."""
    end: str = ""
    """What became of it."""
    claims: tuple[str, ...] = ()
    """Those that rest on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Charts:
    """Everything about a run that a step does not change."""

    total: int
    sizes: tuple[Size, ...]
    sizes_of: int
    """Contexts there are; more than `sizes` where those are thinned."""
    bound: int | None
    facts: tuple[Facts, ...]
    facts_every: int
    """Events from one point to the next."""
    spent: tuple[Spent, ...]
    """By the whole run, in order of first use."""
    lives: tuple[Life, ...]
    lives_of: str
    """`evidence`, or `passages` where the agent keeps no facts."""

    @property
    def json(self) -> dict[str, Any]:
        """The same for the browser."""
        return asdict(self)


def charts(run: Run) -> Charts:
    """The charts of a whole run."""
    sizes = context_sizes(run)
    moments = sampled(run.total)
    facts = bool(run.last.evidence)
    return Charts(
        total=run.total,
        sizes=thinned(sizes),
        sizes_of=len(sizes),
        bound=run.timeline.bound,
        facts=tuple(_counted(run.at(moment)) for moment in moments) if facts else (),
        facts_every=moments[1] - moments[0] if len(moments) > 1 else 1,
        spent=spent(run, run.total),
        lives=tuple(_evidence_lives(run) if facts else _passage_lives(run)),
        lives_of="evidence" if facts else "passages",
    )


def context_sizes(run: Run) -> tuple[Size, ...]:
    """The policy context of each retrieval step: the last one where a step built several (the paper's Figure 3)."""
    found: dict[int, Size] = {}
    searches = 0
    for moment, event in enumerate(run.events, 1):
        if isinstance(event, ev.SearchChosen):
            searches += 1
        elif isinstance(event, ev.ContextBuilt):
            found[searches] = Size(retrievals=searches, characters=event.characters, moment=moment)
    return tuple(found.values())


def thinned(sizes: Sequence[Size]) -> tuple[Size, ...]:
    """At most MOST_POINTS of them: the largest of each stretch, so that no peak is lost."""
    stretch = -(-len(sizes) // MOST_POINTS) or 1
    parts = (sizes[start : start + stretch] for start in range(0, len(sizes), stretch))
    return tuple(max(part, key=lambda one: one.characters) for part in parts)


def sampled(total: int) -> tuple[int, ...]:
    """At most MOST_POINTS moments at equal distance, with the last one.

    >>> sampled(3), len(sampled(20_000)), sampled(20_000)[-1]
    ((0, 1, 2, 3), 240, 20000)
    """
    step = -(-total // (MOST_POINTS - 1)) or 1
    return (*range(0, total, step), total)


def _counted(state: State) -> Facts:
    fates = Counter(one.fate for one in state.evidence.values())
    replaced = sum(len(one.revisions) - 1 for one in state.evidence.values())
    return Facts(moment=state.moment, active=fates["active"], pruned=fates["pruned"], superseded=replaced)


def spent(run: Run, moment: int) -> tuple[Spent, ...]:
    """What the calls of each role took up to a moment, in order of first use in the run."""
    by_role: dict[str, list[Any]] = {one.role: [] for one in run.call_lines}
    for one in run.call_lines:
        if moment >= run.total or (one.moment is not None and one.moment <= moment):
            by_role[one.role].append(one)
    return tuple(_spent(total(role, lines)) for role, lines in by_role.items())


def _spent(one: Total) -> Spent:
    return Spent(
        role=visible(one.role)[:40],
        calls=one.calls,
        prompt=max(0, one.prompt_tokens - (one.cached_tokens or 0)),
        cached=one.cached_tokens,
        completion=one.completion_tokens,
        uncounted=one.uncounted,
        seconds=round(one.seconds, 3),
    )


def _evidence_lives(run: Run) -> Iterator[Life]:
    marks, claims, ends = lane_marks(run.events), cited_by(run.last), _ends(run.events)
    for id_, one in run.last.evidence.items():
        yield Life(
            id=visible(id_),
            born=run.born.get(id_, 1),
            gone=one.pruned_at or (ends.get(id_) if one.fate not in ("active", "new") else None),
            marks=tuple(marks.get(id_, ())),
            end=_became(one),
            claims=tuple(claims.get(id_, ())),
        )


def _became(one: Evidence) -> str:
    if one.fate == "active":
        return f"in force, r{one.current.number}" if one.current.number > 1 else "in force"
    return visible(fate_words(one))[:60]


def _ends(events: Iterable[ev.Event]) -> dict[str, int]:
    """When facts that never stood by themselves were put where they went."""
    found: dict[str, int] = {}
    for moment, event in enumerate(events, 1):
        match event:
            case ev.DuplicateFound():
                found[event.fact] = moment
            case ev.EvidenceRepaired():
                found[event.by] = moment
            case ev.FactsSetAside():
                found.update(dict.fromkeys(event.facts, moment))
    return found


def _passage_lives(run: Run) -> Iterator[Life]:
    """Of an agent without facts: when it read each page, and the claims that cite it."""
    read: dict[str, list[tuple[int, str]]] = {}
    for moment, event in enumerate(run.events, 1):
        if isinstance(event, ev.PassagesRetrieved):
            for one in event.passages:
                read.setdefault(one.id, []).append((moment, MARKS["passages_retrieved"][0]))
    for id_ in run.last.passages:
        times = read.get(id_, [(1, "")])
        claims = tuple(f"c{number}" for number in run.dependence.citing.get(id_, ()))
        again = f"read {len(times)} times" if len(times) > 1 else "read once"
        yield Life(id=visible(id_), born=times[0][0], gone=None, marks=tuple(times[1:]), end=again, claims=claims)
