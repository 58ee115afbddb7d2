"""What an event outside of any conflict rested on and what came of it, one thing a line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from retree_core import events as ev
from retree_core.state import State, active_path
from retree_core.text import count, normalise
from retree_core.why.ledger import Ledger
from retree_core.why.points_facts import POINTS_OF_FACTS
from retree_core.why.standing import listed, standing
from retree_core.why.values import Point, Ref

Points = Iterator[Point]


def points(ledger: Ledger, moment: int) -> tuple[Point, ...]:
    """The points of the event at a moment; none for a kind that has nothing to say beyond itself."""
    event = ledger.event(moment)
    write = _WRITERS.get(type(event))
    return tuple(write(ledger, moment, event)) if write else ()


def _run_started(ledger: Ledger, moment: int, event: ev.RunStarted) -> Points:
    settings = ledger.trace.header.settings
    yield Point(label="Agent", words=(f"{event.agent}, {settings.judge} judge, model {settings.model}",))
    yield Point(
        label="Bounds",
        words=(
            f"{settings.max_searches} searches, {settings.shown_evidence} facts shown at a time, "
            f"summaries of {settings.summary_words} words, {settings.repairs_per_fact} repairs a fact",
        ),
    )


def _context_built(ledger: Ledger, moment: int, event: ev.ContextBuilt) -> Points:
    state = ledger.at(moment)
    held = active_path(state)
    left = [one.id for one in held if one.id not in event.evidence]
    if event.evidence and not held:  # an agent without facts
        yield Point(label="Shown", words=listed(event.evidence))
    elif event.evidence:
        how = f"{len(event.evidence)} of {len(held)} facts in force: most words in common with the question"
        missing = _missing_before(ledger, moment)
        yield Point(label="Chosen", words=(how, f" and with what is missing: {'; '.join(missing)}" if missing else ""))
    if left:
        yield Point(label="Not shown", words=listed(left))


def _missing_before(ledger: Ledger, moment: int) -> tuple[str, ...]:
    """What the policy last named as missing; a refused stop may have changed it unseen."""
    at = ledger.last_of(moment, ev.SearchChosen, ev.StopRefused)
    event = ledger.event(at) if at else None
    return event.missing if isinstance(event, ev.SearchChosen) else ()


def _reply_rejected(ledger: Ledger, moment: int, event: ev.ReplyRejected) -> Points:
    most = ledger.trace.header.settings.reply_attempts
    yield Point(label="What was wrong", words=(event.reason or "not said",), said=True)
    yield Point(label="Attempt", words=(f"{event.attempt} of {most} for this {event.role} call",))
    end = moment + 1
    while end <= len(ledger.events) and isinstance(ledger.event(end), ev.ReplyRejected):
        end += 1
    again = ledger.calls_between(moment, end) if moment < len(ledger.events) else ()
    asked = any(one.role == event.role for one in again)
    after = (
        "asked again, with the fault named" if asked else "not asked again: the attempts are spent, or the record ends"
    )
    yield Point(label="What followed", words=(after,), moment=moment + 1 if moment < len(ledger.events) else None)


def _search_chosen(ledger: Ledger, moment: int, event: ev.SearchChosen) -> Points:
    if event.origin == "forced":
        yield Point(label="Forced", words=(f"the question itself is searched: {event.reason or 'no reason recorded'}",))
    else:
        yield Point(label="The policy's reason", words=(event.reason or "none given",), said=bool(event.reason))
    if event.missing:
        yield Point(label="Still missing", words=("; ".join(event.missing),), said=True)
    yield from _refused_before(ledger, moment)
    earlier = _same_query(ledger, moment, event.query)
    if earlier:
        yield Point(label="Asked before", words=("the same query, but for case and punctuation",), moment=earlier)
    yield from _came_of(ledger, moment)


def _refused_before(ledger: Ledger, moment: int) -> Points:
    """Stops refused since the last search: they are why the policy was asked again."""
    start = ledger.last_of(moment - 1, ev.SearchChosen) or 0
    for at in range(start + 1, moment):
        event = ledger.event(at)
        if isinstance(event, ev.StopRefused):
            yield Point(label="Stop refused before", words=(event.reason,), moment=at)


def _same_query(ledger: Ledger, moment: int, query: str) -> int | None:
    wanted = normalise(query)
    found = ((at, ledger.event(at)) for at in range(1, moment))
    return next((at for at, one in found if isinstance(one, ev.SearchChosen) and normalise(one.query) == wanted), None)


def _came_of(ledger: Ledger, moment: int) -> Points:
    """What a search brought, up to the next one."""
    end = ledger.search_end(moment)
    for at in range(moment + 1, end):
        if words := _brought(ledger.event(at)):
            yield Point(label="Came of it", words=words, moment=at)


def _brought(event: ev.Event) -> tuple[str, ...]:
    match event:
        case ev.PassagesRetrieved():
            again = f", served again from search {event.repeat_of}" if event.repeat_of else ""
            return (f"{count(len(event.passages), 'passage')}{again}",)
        case ev.SearchFailed():
            return (f"the search failed: {event.failure}",)
        case ev.FactsExtracted(facts=()):
            return ("no fact",)
        case ev.FactsExtracted():
            return (f"{count(len(event.facts), 'fact')}: ", *listed(one.id for one in event.facts))
        case ev.NodeAdded():
            return ("node ", Ref(event.node))
        case ev.EvidenceRepaired():
            return ("a repair of ", Ref(event.evidence))
        case _:
            return ()


def _stop_refused(ledger: Ledger, moment: int, event: ev.StopRefused) -> Points:
    state = ledger.at(moment)
    yield from _named(state, event.evidence)
    yield Point(label="Valid then", words=_valid(state))
    yield Point(label="Rule", words=(_rule(state, event),))
    yield _after_refusal(ledger, moment)


def _named(state: State, ids: Iterable[str]) -> Points:
    every = tuple(ids)
    for one in every:
        yield Point(label="It named", words=(*listed([one]), f": {standing(state, one)}"))
    if not every:
        yield Point(label="It named", words=("no evidence",))


def _valid(state: State) -> tuple[str, ...]:
    """What a stop could have named."""
    held = [one.id for one in active_path(state)] if state.evidence else [*state.passages]
    return listed(held) if held else ("nothing: no evidence is in force",)


def _rule(state: State, event: ev.StopRefused) -> str:
    """The rule of section 4.2 that the stop broke, checked against the state."""
    if not any(one.passages for one in state.searches):
        return "a stop needs one search that brought passages, and none had"
    held = {one.id for one in active_path(state)} if state.evidence else {*state.passages}
    if not event.evidence:
        return "a stop needs at least one supporting id, and it named none"
    if not held.intersection(event.evidence):
        return "a stop needs at least one supporting id in force, and none of those named is"
    return f"the record says: {event.reason}"


def _after_refusal(ledger: Ledger, moment: int) -> Point:
    after = ledger.next_of(moment, ev.ContextBuilt, ev.SearchChosen, ev.BudgetExhausted, ev.RunEnded)
    match ledger.event(after) if after else None:
        case ev.ContextBuilt():
            words = "asked again, with the refusal in the prompt"
        case ev.SearchChosen(origin="forced"):
            words = "a search with the question itself was forced"
        case ev.SearchChosen():
            words = "another search was chosen"
        case ev.BudgetExhausted():
            words = "all searches were spent; the answer was drawn from what was there"
        case ev.RunEnded():
            words = "the run ended"
        case _:
            words = "nothing: the record ends here"
    return Point(label="What followed", words=(words,), moment=after)


def _stop_chosen(ledger: Ledger, moment: int, event: ev.StopChosen) -> Points:
    state = ledger.at(moment)
    yield Point(label="The policy's reason", words=(event.reason or "none given",), said=bool(event.reason))
    yield from _named(state, event.evidence)
    spent = f"{len(state.searches)} of {ledger.trace.header.settings.max_searches} searches made"
    yield Point(label="Allowed because", words=(f"something was retrieved and a named id is in force; {spent}",))


def _budget_exhausted(ledger: Ledger, moment: int, event: ev.BudgetExhausted) -> Points:
    last = ledger.last_of(moment, ev.SearchChosen)
    yield Point(label="Spent", words=(f"{event.searches} of {ledger.trace.header.settings.max_searches} searches",))
    if last:
        yield Point(label="Last search", words=(f"search {len(ledger.at(moment).searches)}",), moment=last)


def _answered(ledger: Ledger, moment: int, event: ev.Answered) -> Points:
    state = ledger.at(moment)
    yield Point(label="Shown to it", words=listed(event.shown) if event.shown else ("no evidence",))
    for number, claim in enumerate(event.claims, 1):
        cites = [part for id_ in claim.cites for part in (*listed([id_]), f" {standing(state, id_)}", ", ")][:-1]
        yield Point(label="Claim", words=(*listed([f"c{number}"]), ": ", *(cites or ["cites nothing"])))


def _run_ended(ledger: Ledger, moment: int, event: ev.RunEnded) -> Points:
    if event.detail:
        yield Point(label="Detail", words=(event.detail,), said=True)
    for kind, label in ((ev.StopChosen, "The policy stopped"), (ev.BudgetExhausted, "The searches were spent")):
        at = ledger.last_of(moment, kind)
        if at:
            yield Point(label="Because", words=(label,), moment=at)


_WRITERS: dict[type[Any], Callable[[Ledger, int, Any], Points]] = {
    ev.RunStarted: _run_started,
    ev.ContextBuilt: _context_built,
    ev.ReplyRejected: _reply_rejected,
    ev.SearchChosen: _search_chosen,
    ev.StopRefused: _stop_refused,
    ev.StopChosen: _stop_chosen,
    ev.BudgetExhausted: _budget_exhausted,
    ev.Answered: _answered,
    ev.RunEnded: _run_ended,
    **POINTS_OF_FACTS,
}
