"""When something last changed: the life of a fact, a node or a claim, event by event."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from retree_core import events as ev
from retree_core.memory import Claim
from retree_core.state import State, resolve
from retree_core.why.conflicts import claims_citing
from retree_core.why.deciding import decided_by, decider, ending
from retree_core.why.ledger import Ledger
from retree_core.why.values import Change, Ref

Words = tuple[str, ...]


def changes_of(ledger: Ledger, id_: str) -> tuple[Change, ...]:
    """All that happened to a fact (`e7`), a node (`n2`) or a claim (`c1`), in order; nothing for any other id."""
    if id_ in ledger.last.evidence:
        return tuple(_each(ledger, lambda moment, event: _of_fact(ledger, moment, event, id_)))
    if id_ in ledger.last.nodes:
        return tuple(_each(ledger, lambda moment, event: _of_node(event, id_)))
    claims = ledger.last.answer.claims if ledger.last.answer else ()
    found = next((one for number, one in enumerate(claims, 1) if id_ == f"c{number}"), None)
    return _of_claim(ledger, found) if found else ()


def _each(ledger: Ledger, words_of: Callable[[int, ev.Event], Words]) -> Iterator[Change]:
    for moment, event in enumerate(ledger.events, 1):
        if words := words_of(moment, event):
            lost = isinstance(event, ev.NodesPruned | ev.FactsSetAside)
            contest = isinstance(event, ev.ConflictRejected)
            yield Change(moment=moment, kind=event.kind, words=words, lost=lost, changed_nothing=contest)


def _of_fact(ledger: Ledger, moment: int, event: ev.Event, id_: str) -> Words:
    """What an event did to a fact; nothing where it did nothing to it."""
    match event:
        case ev.FactsExtracted():
            passage = next((one.source.passage for one in event.facts if one.id == id_), None)
            return ("Read from ", Ref(passage), f" in search {event.search}.") if passage else ()
        case ev.NodeAdded() if id_ in event.evidence:
            return ("Introduced by ", Ref(event.node), ", below ", Ref(event.parent), ".")
        case ev.FactsAdded() if id_ in event.facts:
            return ("Joined the list of facts.",)
        case ev.DuplicateFound() if event.of == id_:
            return ("Restated by ", Ref(event.fact), "; its source is attached.")
        case ev.DuplicateFound() if event.fact == id_:
            return ("Restates ", Ref(event.of), ".")
        case ev.ConflictRejected() if event.old == id_:
            return ("Contested by ", Ref(event.new), f", rejected by {ending(decided_by(event), event.reason)}")
        case ev.ConflictRejected() if event.new == id_:
            return ("Challenged ", Ref(event.old), f", rejected by {decider(decided_by(event))}.")
        case ev.EvidenceRepaired() if event.evidence == id_:
            at = (", at ", Ref(event.node)) if ledger.last.has_tree else ()
            return (f"Repaired to r{event.revision} with the value of ", Ref(event.by), *at, ".")
        case ev.EvidenceRepaired() if event.by == id_:
            return ("Became ", Ref(event.evidence), f" r{event.revision}.")
        case ev.FactsSetAside() if id_ in event.facts:
            return ("Set aside: it came with a repair.",)
        case ev.NodesPruned() if ledger.last.evidence[id_].pruned_at == moment:
            return ("Pruned with ", Ref(ledger.last.evidence[id_].node or ""), *_because(event))
        case ev.StopChosen() if id_ in event.evidence:
            return ("Named as support when the policy stopped.",)
        case ev.Answered():
            return _cited(ledger.at(moment), id_)
        case _:
            return ()


def _because(event: ev.NodesPruned) -> Words:
    return (", because ", Ref(event.evidence), " was repaired.")


def _cited(state: State, id_: str) -> Words:
    claims = [Ref(f"c{number}") for number in claims_citing(state, id_)]
    return ("Cited by ", *_listed(claims), ".") if claims else ()


def _listed(ids: Iterable[str]) -> Words:
    return tuple(part for one in ids for part in (", ", Ref(one)))[1:]


def _of_node(event: ev.Event, id_: str) -> Words:
    """What an event did to a node; nothing where it did nothing to it."""
    match event:
        case ev.RunStarted() if id_ == "root":
            return ("The run starts here, with the question.",)
        case ev.NodeAdded() if event.node == id_:
            holds = (" with ", *_listed(event.evidence)) if event.evidence else ()
            return ("Added below ", Ref(event.parent), *holds, ".")
        case ev.SummaryWritten() if event.node == id_:
            return ("Summary regenerated." if event.origin in ("regenerated", "facts") else "Summary written.",)
        case ev.SummaryStale() if event.node == id_:
            return ("A new summary still held the refuted value and was not used.",)
        case ev.SummaryDiscarded() if event.parent == id_:
            return (
                "The summary written ahead for a child was discarded, because ",
                Ref(event.evidence),
                " was repaired.",
            )
        case ev.EvidenceRepaired() if event.node == id_:
            return (Ref(event.evidence), f" repaired here to r{event.revision}.")
        case ev.NodesPruned() if id_ in event.nodes:
            return ("Pruned", *_because(event))
        case ev.SearchResumed() if event.node == id_:
            return ("Search resumed here.",)
        case _:
            return ()


_SUPPORT = {
    "passages_retrieved",
    "facts_extracted",
    "node_added",
    "facts_added",
    "duplicate_found",
    "conflict_rejected",
    "evidence_repaired",
    "facts_set_aside",
    "nodes_pruned",
}
"""Kinds of event that bring, change or take away what a claim cites."""


def _of_claim(ledger: Ledger, claim: Claim) -> tuple[Change, ...]:
    """What happened to the facts and passages that a claim cites, and the answer itself."""
    answered = ledger.last_of(len(ledger.events), ev.Answered) or 0
    facts = dict.fromkeys(one for cited in claim.cites for one in _leads_to(ledger.last, cited))
    changes = [_of_support(id_, one, answered) for id_ in facts for one in changes_of(ledger, id_)]
    changes += [one for cited in dict.fromkeys(claim.cites) for one in _found(ledger, cited)]
    missing = [one for one in claim.cites if resolve(ledger.last, one).standing == "missing"]
    gone = (" Not in the record: ", *_listed(missing), ".") if missing else ()
    cites = ("citing ", *_listed(claim.cites)) if claim.cites else ("citing nothing",)
    made = Change(moment=answered, kind="answered", words=("Made with the answer, ", *cites, ".", *gone))
    return tuple(sorted([*(one for one in changes if one.kind in _SUPPORT), made], key=lambda one: one.moment))


def _found(ledger: Ledger, cited: str) -> Iterator[Change]:
    """When a passage was found that a claim cites itself, where an agent has no facts."""
    if cited in ledger.last.evidence or cited not in ledger.last.passages:
        return
    for moment, event in enumerate(ledger.events, 1):
        if isinstance(event, ev.PassagesRetrieved) and any(one.id == cited for one in event.passages):
            words = (Ref(cited), f": Found by search {event.search}.")
            yield Change(moment=moment, kind=event.kind, words=words)
            return


def _leads_to(state: State, cited: str) -> Iterator[str]:
    """A cited fact, and those it leads to as a restatement or a repair."""
    seen: set[str] = set()
    one = state.evidence.get(cited)
    while one is not None and one.id not in seen:
        seen.add(one.id)
        yield one.id
        follows = one.other if one.fate in ("duplicate", "absorbed") else None
        one = state.evidence.get(follows or "")


def _of_support(id_: str, one: Change, answered: int) -> Change:
    """A change of a cited fact, told of the claim; a repair after the answer takes the support away too."""
    lost = one.lost or (one.kind == "evidence_repaired" and one.moment > answered)
    lead = ("Lost its support ",) if lost else ()
    return replace(one, words=(*lead, Ref(id_), ": ", *one.words), lost=lost)
