"""What happened, in words: one sentence an event."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from retree_core import events as ev
from retree_core.state import State
from retree_core.text import count, cut_label
from retree_core.why import Ref
from retree_core.why.deciding import decided_by, decider, dotted, ending, reason_alone
from retree_core.why.returns import Former
from retree_viz.html import Html, join, tag

Sentence = tuple[str, ...]
"""Texts and `Ref`s, to be read one after another."""


def sentence(event: ev.Event, after: State) -> Sentence:
    """The event in words; `after` is the state it led to."""
    write = _WRITERS.get(type(event))
    return write(event, after) if write else (f"{event.kind}: an event this version has no words for.",)


def plain(words: Sentence) -> str:
    """The sentence as plain text."""
    return "".join(words)


def markup(words: Sentence) -> Html:
    """The sentence with its ids as buttons that select them."""
    return join(*(ref(one) if isinstance(one, Ref) else one for one in words))


def ref(id_: str, label: str | None = None, cls: str = "") -> Html:
    """A button that selects an id."""
    return tag("button", label or id_, cls=f"id {cls}".strip(), type="button", data_do=f"select:{id_}")


MOST_LISTED = 6
"""Ids that a sentence names before it counts the rest."""


def listed(ids: Iterable[str]) -> Sentence:
    """`n3, n4 and n5`; past MOST_LISTED, the number of the rest."""
    every = tuple(ids)
    refs: list[str] = [Ref(one) for one in every[:MOST_LISTED]]
    rest = len(every) - len(refs)
    if rest:
        refs.append(f"{rest} more")
    out: list[str] = []
    for number, one in enumerate(refs):
        out += [one] if number == 0 else [" and " if number == len(refs) - 1 else ", ", one]
    return tuple(out)


def was(former: Former) -> Sentence:
    """What a fact that came back had been: `was e5, pruned at event 33`."""
    revision = f" r{former.revision}" if former.revision > 1 or former.how == "refuted" else ""
    return ("was ", Ref(former.id), f"{revision}, {former.how} at event {former.moment}")


def written_name(state: State) -> str:
    """What an agent without a tree writes for itself."""
    return "Report" if state.agent == "report" else "Summary"


def _begun(text: str) -> str:
    """The text as a sentence that follows another: a capital first, unless it starts with an id or another name."""
    text = dotted(text)
    first = text.partition(" ")[0]
    return text[:1].upper() + text[1:] if first.isalpha() and first.islower() else text


def _run_started(event: ev.RunStarted, after: State) -> Sentence:
    where = " at the root" if after.has_tree else ""
    return (f"The run starts: agent {event.agent}, the question{where}.",)


_MEMORIES = {
    "flat": "the summary and a choice of the facts",
    "react": "the whole transcript",
    "report": "the report and the visited pages",
}
"""Agent without a tree to what its policy is shown."""


def _context_built(event: ev.ContextBuilt, after: State) -> Sentence:
    size = f" ({event.characters:,} characters)."
    shown = (": ", *listed(event.evidence)) if event.evidence else (", no evidence yet",)
    if not after.has_tree:
        what = _MEMORIES.get(after.agent, "its memory")
        return (f"The policy is shown {what}", *(shown if after.agent == "flat" or event.evidence else ()), size)
    return ("The policy is shown the summary of ", Ref(event.node), *shown, size)


def _reply_rejected(event: ev.ReplyRejected, after: State) -> Sentence:
    return (f"The {event.role} reply did not validate (attempt {event.attempt}): {dotted(event.reason)}",)


def _search_chosen(event: ev.SearchChosen, after: State) -> Sentence:
    forced = " is forced" if event.origin == "forced" else ""
    reason = f" {_begun(event.reason)}" if event.reason else ""
    return (f"Search {event.search}{forced}: “{event.query}”.{reason}",)


def _stop_chosen(event: ev.StopChosen, after: State) -> Sentence:
    return ("The policy stops, supported by ", *listed(event.evidence), f". {_begun(event.reason)}".rstrip())


def _stop_refused(event: ev.StopRefused, after: State) -> Sentence:
    named = ("named ", *listed(event.evidence), ": ") if event.evidence else ("named no evidence: ",)
    return ("Stop refused; it ", *named, dotted(event.reason))


def _passages_retrieved(event: ev.PassagesRetrieved, after: State) -> Sentence:
    known = f", served again from search {event.repeat_of}" if event.repeat_of else ""
    left_out = f"; {count(event.duplicates, 'repeat')} left out" if event.duplicates else ""
    return (f"Search {event.search} finds {count(len(event.passages), 'passage')}{known}{left_out}.",)


def _search_failed(event: ev.SearchFailed, after: State) -> Sentence:
    return (f"Search {event.search} failed ({event.failure}): {dotted(event.message)}",)


def _facts_extracted(event: ev.FactsExtracted, after: State) -> Sentence:
    if not event.facts:
        return (f"Search {event.search} yields no fact.",)
    return (
        f"{count(len(event.facts), 'fact')} read from search {event.search}: ",
        *listed(one.id for one in event.facts),
        ".",
    )


def _fact_rebound(event: ev.FactRebound, after: State) -> Sentence:
    missing = ", ".join(event.missing) or "its values"
    return (
        "A fact named ",
        Ref(event.named),
        f", which does not hold {missing}; ",
        Ref(event.passage),
        " does, and is its source now.",
    )


def _fact_dropped(event: ev.FactDropped, after: State) -> Sentence:
    return (f"An extracted item was not taken ({event.cause.replace('_', ' ')}): {dotted(event.detail)}",)


def _duplicate_found(event: ev.DuplicateFound, after: State) -> Sentence:
    return (Ref(event.fact), " restates ", Ref(event.of), "; its source is attached, no judge is asked.")


def _conflict_proposed(event: ev.ConflictProposed, after: State) -> Sentence:
    return ("Conflict proposed: ", Ref(event.new), " against ", Ref(event.old), f". {_begun(event.reason)}".rstrip())


def _conflict_rejected(event: ev.ConflictRejected, after: State) -> Sentence:
    by = ending(decided_by(event), event.reason)
    return ("Conflict of ", Ref(event.new), " with ", Ref(event.old), f" rejected by {by}")


def _conflict_confirmed(event: ev.ConflictConfirmed, after: State) -> Sentence:
    reason = _begun(reason_alone(event.by, event.reason))
    lead = f"Conflict confirmed by {decider(event.by)}: "
    return (lead, Ref(event.new), " refutes ", Ref(event.old), f". {reason}".rstrip())


def _evidence_repaired(event: ev.EvidenceRepaired, after: State) -> Sentence:
    if not after.has_tree:
        return (Ref(event.evidence), f" replaced in place: r{event.revision}, with the value of ", Ref(event.by), ".")
    return (
        Ref(event.evidence),
        f" repaired to r{event.revision} at ",
        Ref(event.node),
        ", with the value of ",
        Ref(event.by),
        ".",
    )


def _repair_skipped(event: ev.RepairSkipped, after: State) -> Sentence:
    return ("The repair of ", Ref(event.evidence), " by ", Ref(event.by), " would change nothing and is skipped.")


_SUMMARY = {
    "model": "",
    "regenerated": " regenerated from corrected evidence alone",
    "kept": " kept from the parent, the model's was empty",
    "facts": " made of the active facts, the model's kept the refuted value",
}


def _summary_written(event: ev.SummaryWritten, after: State) -> Sentence:
    how = _SUMMARY.get(event.origin, "") or " written"
    if not after.has_tree:
        kept = " kept as it was, the model gave none" if event.origin == "kept" else how
        return (written_name(after), kept, ", cut to the word bound." if event.cut else ".")
    return ("Summary of ", Ref(event.node), how, ", cut to the word bound." if event.cut else ".")


def _summary_stale(event: ev.SummaryStale, after: State) -> Sentence:
    of = () if not after.has_tree else (" of ", Ref(event.node))
    return ("The new summary", *of, f" still holds the refuted “{event.value}” and is not used.")


def _summary_discarded(event: ev.SummaryDiscarded, after: State) -> Sentence:
    meant = (" for a child of ", Ref(event.parent)) if after.has_tree else ()
    return ("The summary written ahead", *meant, " is discarded, because ", Ref(event.evidence), " was repaired.")


def _nodes_pruned(event: ev.NodesPruned, after: State) -> Sentence:
    facts = sum(one.pruned_at == after.moment for one in after.evidence.values())
    if not event.nodes:
        return ("Nothing hangs below the repaired ", Ref(event.evidence), "; nothing is pruned.")
    return (
        *listed(event.nodes),
        f" pruned with {count(facts, 'fact')}, because ",
        Ref(event.evidence),
        " above them was repaired.",
    )


def _search_resumed(event: ev.SearchResumed, after: State) -> Sentence:
    return ("Search resumes at ", Ref(event.node), ".")


def _facts_set_aside(event: ev.FactsSetAside, after: State) -> Sentence:
    return (*listed(event.facts), " came with the repair and ", "is" if len(event.facts) == 1 else "are", " set aside.")


def _facts_added(event: ev.FactsAdded, after: State) -> Sentence:
    return (*listed(event.facts), " joined the list.")


def _node_added(event: ev.NodeAdded, after: State) -> Sentence:
    holds = (" with ", *listed(event.evidence)) if event.evidence else (" with no new fact",)
    return (Ref(event.node), " added below ", Ref(event.parent), *holds, ".")


def _budget_exhausted(event: ev.BudgetExhausted, after: State) -> Sentence:
    return (f"All {count(event.searches, 'search', 'searches')} are spent; the answer is drawn from what is there.",)


def _answered(event: ev.Answered, after: State) -> Sentence:
    return (f"Answered “{event.text}” with {count(len(event.claims), 'claim')}.",)


def _run_ended(event: ev.RunEnded, after: State) -> Sentence:
    return (f"The run ends: {event.status.replace('_', ' ')}. {_begun(event.detail)}".strip(),)


def _step_taken(event: ev.StepTaken, after: State) -> Sentence:
    said = f": {dotted(cut_label(event.text, 300))}" if event.text.strip() else "."
    return (f"Step {event.number:,}, {event.name}{said}",)


_WRITERS: dict[type[Any], Callable[[Any, State], Sentence]] = {
    ev.RunStarted: _run_started,
    ev.ContextBuilt: _context_built,
    ev.ReplyRejected: _reply_rejected,
    ev.SearchChosen: _search_chosen,
    ev.StopChosen: _stop_chosen,
    ev.StopRefused: _stop_refused,
    ev.PassagesRetrieved: _passages_retrieved,
    ev.SearchFailed: _search_failed,
    ev.FactsExtracted: _facts_extracted,
    ev.FactRebound: _fact_rebound,
    ev.FactDropped: _fact_dropped,
    ev.DuplicateFound: _duplicate_found,
    ev.ConflictProposed: _conflict_proposed,
    ev.ConflictRejected: _conflict_rejected,
    ev.ConflictConfirmed: _conflict_confirmed,
    ev.EvidenceRepaired: _evidence_repaired,
    ev.RepairSkipped: _repair_skipped,
    ev.SummaryWritten: _summary_written,
    ev.SummaryStale: _summary_stale,
    ev.SummaryDiscarded: _summary_discarded,
    ev.NodesPruned: _nodes_pruned,
    ev.SearchResumed: _search_resumed,
    ev.FactsSetAside: _facts_set_aside,
    ev.FactsAdded: _facts_added,
    ev.NodeAdded: _node_added,
    ev.BudgetExhausted: _budget_exhausted,
    ev.Answered: _answered,
    ev.RunEnded: _run_ended,
    ev.StepTaken: _step_taken,
}
