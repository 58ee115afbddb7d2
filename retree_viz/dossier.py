"""Why a conflict was decided as it was, from the record alone: pure data for the panels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from retree_core import events as ev
from retree_core.judging import GuardResult, Parts
from retree_core.memory import Evidence, Passage, Revision, Source
from retree_core.state import State, resolve
from retree_viz.run import Run
from retree_viz.words import Ref, Sentence, dotted, listed


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One conflict from its proposal to the last thing it caused; moments, None where it never came."""

    old: str
    new: str
    search: int
    proposed: int | None = None
    decided: int | None = None
    repaired: int | None = None
    first: int
    last: int
    outcome: str
    """`open`, `rejected`, `confirmed`, `repaired` or `skipped`."""
    by: str = ""
    proposal: str = ""
    """Reason given with the proposal."""
    reason: str = ""
    """Reason given with the decision."""
    parts: Parts | None = None
    guards: tuple[GuardResult, ...] = ()
    node: str | None = None
    """Where the repair went: the introducer of the old fact."""
    revision: int | None = None
    pruned: tuple[str, ...] = ()
    set_aside: tuple[str, ...] = ()
    resumed: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Quoted:
    """A source with its passage."""

    source: Source
    passage: Passage | None
    """None where the trace does not hold the passage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One side of a conflict: a fact as it read at that time."""

    id: str
    revision: Revision | None
    quoted: tuple[Quoted, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Something that happened to a piece of evidence."""

    moment: int
    mark: str
    """Kind of the event."""
    words: Sentence


def quoted(state: State, revision: Revision | None) -> tuple[Quoted, ...]:
    """The sources of a revision with their passages."""
    sources = revision.sources if revision else ()
    return tuple(Quoted(source=one, passage=state.passages.get(one.passage)) for one in sources)


@lru_cache(maxsize=32)
def decisions(run: Run) -> tuple[Decision, ...]:
    """Every conflict of a run, in the order of their proposals."""
    found: list[Decision] = []
    search = 0
    for moment, event in enumerate(run.events, 1):
        match event:
            case ev.SearchChosen():
                search = event.search
            case ev.ConflictProposed():
                decided = _decided(run, moment, event.old, event.new)
                found.append(_decision(run, search, event.old, event.new, moment, decided))
            case ev.ConflictRejected() | ev.ConflictConfirmed():
                if not any(one.decided == moment for one in found):
                    found.append(_decision(run, search, event.old, event.new, None, moment))
            case _:
                pass
    return tuple(found)


def _decided(run: Run, proposed: int, old: str, new: str) -> int | None:
    """Moment of the decision on a proposal; a second proposal of the pair or the next search ends the wait."""
    for moment in range(proposed + 1, run.total + 1):
        event = run.events[moment - 1]
        if isinstance(event, ev.ConflictRejected | ev.ConflictConfirmed) and (event.old, event.new) == (old, new):
            return moment
        if isinstance(event, ev.SearchChosen) or (
            isinstance(event, ev.ConflictProposed) and (event.old, event.new) == (old, new)
        ):
            return None
    return None


def _decision(run: Run, search: int, old: str, new: str, proposed: int | None, decided: int | None) -> Decision:
    proposal, verdict = run.event(proposed or 0), run.event(decided or 0)
    first = proposed or decided or 1
    base = {"old": old, "new": new, "search": search, "proposed": proposed, "decided": decided, "first": first}
    said = proposal.reason if isinstance(proposal, ev.ConflictProposed) else ""
    if not isinstance(verdict, ev.ConflictRejected | ev.ConflictConfirmed):
        return Decision(**base, last=first, outcome="open", proposal=said)  # type: ignore[arg-type]
    outcome = "rejected" if isinstance(verdict, ev.ConflictRejected) else "confirmed"
    found = {
        "by": verdict.by,
        "proposal": said,
        "reason": verdict.reason,
        "parts": verdict.parts,
        "guards": verdict.guards,
    }
    if outcome == "rejected":
        return Decision(**base, **found, last=decided or first, outcome=outcome)  # type: ignore[arg-type]
    return _with_repair(run, Decision(**base, **found, last=decided or first, outcome=outcome))  # type: ignore[arg-type]


def _with_repair(run: Run, decision: Decision) -> Decision:
    """The decision with what it caused: all events up to the next search."""
    changes: dict[str, object] = {}
    last = decision.decided or decision.first
    for moment in range(last + 1, run.total + 1):
        match run.events[moment - 1]:
            case ev.SearchChosen() | ev.ContextBuilt() | ev.ConflictProposed() | ev.NodeAdded() | ev.RunEnded():
                break
            case ev.EvidenceRepaired() as one if one.evidence == decision.old:
                changes |= {"outcome": "repaired", "repaired": moment, "node": one.node, "revision": one.revision}
            case ev.RepairSkipped():
                changes |= {"outcome": "skipped"}
            case ev.NodesPruned() as one:
                changes |= {"pruned": one.nodes}
            case ev.FactsSetAside() as one:
                changes |= {"set_aside": one.facts}
            case ev.SearchResumed() as one:
                changes |= {"resumed": one.node}
            case _:
                pass
        last = moment
    kept = {name: getattr(decision, name) for name in decision.__slots__}
    return Decision(**{**kept, **changes, "last": last})


def decision_at(run: Run, moment: int, selected: str = "") -> Decision | None:
    """The conflict to explain: the one the moment is part of, else the one that last touched the selected fact."""
    every = decisions(run)
    here = [one for one in every if one.first <= moment <= one.last]
    touching = [one for one in every if selected and selected in (one.old, one.new)]
    for one in reversed(here):
        if not touching or one in touching:
            return one
    earlier = [one for one in touching if one.first <= moment]
    return (earlier or touching)[-1] if touching else None


def sides(run: Run, decision: Decision) -> tuple[Fact, Fact]:
    """Both facts as they stood when the conflict was decided."""
    state = run.at(decision.decided or decision.first)
    return _side(state, decision.old), _side(state, decision.new)


def _side(state: State, id_: str) -> Fact:
    one = state.evidence.get(id_)
    now = one.current if one else None
    return Fact(id=id_, revision=now, quoted=quoted(state, now))


def history(run: Run, evidence: str) -> tuple[Line, ...]:
    """The life of a piece of evidence, in order."""
    lines: list[Line] = []
    for moment, event in enumerate(run.events, 1):
        words = _touches(event, evidence)
        if words:
            lines.append(Line(moment=moment, mark=event.kind, words=words))
    return tuple(lines)


def _touches(event: ev.Event, id_: str) -> Sentence:
    """What an event did to a piece of evidence; nothing where it did nothing to it."""
    match event:
        case ev.FactsExtracted():
            from_ = next((one.source.passage for one in event.facts if one.id == id_), None)
            return ("Read from ", Ref(from_), f" in search {event.search}.") if from_ else ()
        case ev.NodeAdded() if id_ in event.evidence:
            return ("Introduced by ", Ref(event.node), ", below ", Ref(event.parent), ".")
        case ev.DuplicateFound() if event.of == id_:
            return ("Restated by ", Ref(event.fact), "; its source is attached.")
        case ev.DuplicateFound() if event.fact == id_:
            return ("Restates ", Ref(event.of), ".")
        case ev.ConflictRejected() if event.old == id_:
            return ("Contested by ", Ref(event.new), f", rejected by {_decider(event)}: {dotted(event.reason)}")
        case ev.ConflictRejected() if event.new == id_:
            return ("Challenged ", Ref(event.old), f", rejected by {_decider(event)}.")
        case ev.EvidenceRepaired() if event.evidence == id_:
            return (f"Repaired to r{event.revision} with the value of ", Ref(event.by), ", at ", Ref(event.node), ".")
        case ev.EvidenceRepaired() if event.by == id_:
            return ("Became ", Ref(event.evidence), f" r{event.revision}.")
        case ev.FactsSetAside() if id_ in event.facts:
            return ("Set aside: it came with a repair.",)
        case ev.StopChosen() if id_ in event.evidence:
            return ("Named as support when the policy stopped.",)
        case _:
            return ()


def _decider(event: ev.ConflictRejected) -> str:
    failed = next((one.name for one in event.guards if not one.passed), None)
    return f"guard {failed}" if event.by == "guard" and failed else f"the {event.by}"


def claims_on(last: State, evidence: str) -> tuple[str, ...]:
    """Claims of the final answer whose citations lead to this evidence."""
    claims = last.answer.claims if last.answer else ()
    return tuple(
        f"c{number}"
        for number, claim in enumerate(claims, 1)
        if any(resolve(last, id_).evidence == evidence for id_ in claim.cites)
    )


def facts_of(state: State, nodes: tuple[str, ...]) -> tuple[tuple[str, tuple[Evidence, ...]], ...]:
    """Nodes with the facts they brought."""
    return tuple(
        (node, tuple(state.evidence[one] for one in state.nodes[node].evidence if one in state.evidence))
        for node in nodes
        if node in state.nodes
    )


def never_shown(run: Run, decision: Decision) -> tuple[str, ...]:
    """Pruned facts whose searches were chosen without the refuted fact in the policy's context."""
    if not decision.repaired:
        return ()
    shown: dict[int, bool] = {}
    context: ev.ContextBuilt | None = None
    for event in run.events[: decision.repaired]:
        if isinstance(event, ev.ContextBuilt):
            context = event
        elif isinstance(event, ev.SearchChosen):
            shown[event.search] = event.origin == "policy" and context is not None and decision.old in context.evidence
    state = run.at(decision.last)
    pruned = facts_of(state, decision.pruned)
    return tuple(one.id for _, facts in pruned for one in facts if not shown.get(one.search, True))


def dossier_title(decision: Decision) -> Sentence:
    """The heading of the dossier."""
    match decision.outcome:
        case "repaired":
            return ("Repair of ", Ref(decision.old), " at node ", Ref(decision.node or "?"))
        case "rejected":
            return ("Rejected: ", Ref(decision.new), " against ", Ref(decision.old))
        case "skipped":
            return ("Nothing to repair: ", Ref(decision.new), " against ", Ref(decision.old))
        case "open":
            return ("Proposed: ", Ref(decision.new), " against ", Ref(decision.old))
        case _:
            return ("Confirmed: ", Ref(decision.new), " against ", Ref(decision.old))


def pruned_words(decision: Decision) -> Sentence:
    """What fell, in a line."""
    return (*listed(decision.pruned), " pruned") if decision.pruned else ("Nothing hung below it",)
