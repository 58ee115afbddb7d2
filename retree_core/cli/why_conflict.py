"""A conflict and its repair as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from retree_core import why
from retree_core.terminal import columns, printable, short, wrapped
from retree_core.text import count
from retree_core.why.deciding import decider, reason_alone
from retree_core.why.parts import CheckedPart

AROUND = 60
"""Characters of a passage shown on either side of a quoted span."""


def headline(one: why.Conflict) -> str:
    """The conflict on one line."""
    at = one.decided or one.proposed or (one.repair.moment if one.repair else 0)
    by = f" by {printable(decider(one.by))}" if one.by else ""
    reason = reason_alone(one.by, one.reason)
    because = f": {short(reason, 80)}" if reason else ""
    return f"event {at}: {printable(one.new.id)} against {printable(one.old.id)} {one.outcome}{by}{because}"


def conflict_lines(one: why.Conflict) -> Iterator[str]:
    """From what was affected to where the search went on."""
    yield headline(one)
    yield f"affected: {_affected(one)}"
    yield f'found in search {one.search} "{short(one.query)}", at {printable(one.node)}'
    yield "old fact"
    yield from _indented(fact_lines(one.old))
    yield "new fact"
    yield from _indented(fact_lines(one.new))
    yield "proposal" + (f", event {one.proposed}" if one.proposed else " (not in the record)")
    yield from _said(one.proposal, calls_words("asked in", one.proposal_calls))
    yield "decision" + (f", event {one.decided}, by {printable(decider(one.by))}" if one.decided else " (none)")
    if one.decision:
        yield wrapped("".join(one.decision), "  ")
    yield from _said(reason_alone(one.by, one.reason), calls_words("asked in", one.confirmation_calls))
    yield from _indented(_parts_lines(one.checked))
    yield from _indented(_guard_lines(one))
    yield "history of the stored fact"
    yield from _indented(history_lines(one.history))
    if one.introducer and not one.repair:
        yield "where a repair would have gone"
        yield from _indented(introducer_lines(one.introducer))
    if one.repair:
        yield from _repair_lines(one.repair)
    elif one.outcome == "skipped":
        yield "the repair would have changed nothing and was skipped"
    elif one.outcome == "rejected" and not one.overtaken:
        yield "the tree expanded; both facts stay, the stored one is marked contested"


def _affected(one: why.Conflict) -> str:
    repair = one.repair
    if repair is None:
        return printable(f"{one.old.id} (unchanged by this conflict)")
    claims = ", ".join(f"claim {number}" for number in repair.claims)
    node = f"node {printable(repair.introducer.node)}"
    return f"{claims} and {node}" if claims else f"{node}; no claim of the answer cites {printable(repair.evidence)}"


def fact_lines(fact: why.Fact) -> Iterator[str]:
    """A fact with its passages, the quoted span marked in each."""
    yield wrapped(f"[{fact.id}] revision {fact.revision}: {fact.text}")
    for one in fact.sources:
        yield from _source_lines(one)


def _source_lines(one: why.Quoted) -> Iterator[str]:
    passage, source = one.passage, one.source
    if passage is None:
        yield f"{printable(source.passage)} (not in the record), quoted: {short(source.quote, 100)}"
        return
    date = f", {printable(passage.published)}" if passage.published else ""
    url = f" <{printable(passage.url)}>" if passage.url else ""
    yield f"{printable(passage.id)} {short(passage.title, 70)}{date}{url}"
    if source.start is None or source.end is None:
        yield f"  quote not found in the passage: {short(source.quote, 120)}"
        yield f"  passage: {short(passage.text, 160)}"
        return
    before, after = max(0, source.start - AROUND), source.end + AROUND
    left = ("…" if before else "") + passage.text[before : source.start]
    right = passage.text[source.end : after] + ("…" if after < len(passage.text) else "")
    span = passage.text[source.start : source.end]
    yield f"  {source.start}-{source.end}: {printable(left)}«{printable(span)}»{printable(right)}"


def history_lines(history: Iterable[why.PastValue], *, spans: bool = False) -> Iterator[str]:
    """The values of a piece of evidence, oldest first; with the spans they were read from."""
    for one in history:
        passages = ", ".join(dict.fromkeys(each.source.passage for each in one.sources))
        by = f", brought by {one.by}" if one.by else ""
        yield printable(f"revision {one.revision}{by} [{passages or '-'}]: {one.text}")
        for source in one.sources if spans else ():
            yield from (f"  {line}" for line in _source_lines(source))
        if one.given_up:
            yield f"  given up: {short(one.given_up, 120)}"


def calls_words(lead: str, calls: Iterable[why.CallMade]) -> str:
    """Calls by record number."""
    every = tuple(calls)
    if not every:
        return f"{lead}: no call"
    return f"{lead}: " + ", ".join(f"record {one.seq} ({one.role}{_detail(one)})" for one in every)


def _detail(one: why.CallMade) -> str:
    if one.failure:
        return f", failed: {one.failure}"
    beside = f", beside record {one.beside}" if one.beside is not None else ""
    tokens = f", {one.prompt_tokens}+{one.completion_tokens} tokens" if one.prompt_tokens is not None else ""
    return beside + tokens + (", edited by a fork" if one.edited else "")


def _said(reason: str, calls: str) -> Iterator[str]:
    if reason:
        yield wrapped(f"reason: {reason}", "  ")
    yield f"  {calls}"


def _parts_lines(parts: Iterable[CheckedPart]) -> Iterator[str]:
    """Part by part: both facts, what the model said, what the engine checked."""
    width = max(16, (columns() - 46) // 2)
    for one in parts:
        checked = f"engine: {printable(one.words)}"
        if one.said is None:
            yield f"{one.name:9} the model stated none; {checked}"
            continue
        same = "same" if one.said.same else "differs"
        sides = " | ".join(f"{short(value, width) or '-':{width}}" for value in (one.said.old, one.said.new))
        yield f"{one.name:9} {sides} {same:7}; {checked}"


def _guard_lines(one: why.Conflict) -> Iterator[str]:
    passed = [each.name for each in one.guards if each.passed]
    for each in one.guards:
        if not each.passed:
            yield f"guard {printable(each.name)} objects: {short(each.detail, 120)}"
    if passed:
        yield wrapped(f"guards without objection: {', '.join(passed)}")


def _repair_lines(repair: why.Repair) -> Iterator[str]:
    yield f"repair, event {repair.moment}: {printable(repair.evidence)} is now revision {repair.revision}"
    yield from _indented(introducer_lines(repair.introducer))
    yield from _indented(_pruned_lines(repair))
    for one in repair.set_aside:
        yield f"  set aside: [{printable(one.id)}] {short(one.text)}"
    if repair.kept_in:
        yield f"  the other new facts are kept in {printable(repair.kept_in)}"
    if repair.summary:
        yield f"  summary {repair.summary.origin}, event {repair.summary.moment}: {short(repair.summary.text, 120)}"
    if repair.discarded_at:
        ahead = _cost_words(repair.spent_ahead)
        yield f"  the summary written ahead is discarded, event {repair.discarded_at}: {ahead}"
    if repair.answer:
        yield wrapped(f"answer: {''.join(repair.answer)}", "  ")
    resumed = f", event {repair.resumed_at}" if repair.resumed_at else ""
    after = f"; next search is event {repair.next_search}" if repair.next_search else "; no search followed"
    yield f"  search resumed at {printable(repair.resumed or '(not in the record)')}{resumed}{after}"


def introducer_lines(one: why.Introducer) -> Iterator[str]:
    """The introducer among the nodes of the active path, and why."""
    yield f'introducer: {printable(one.node)} (search {one.search} "{short(one.query, 60)}")'
    yield f"  because {printable(one.reason)}"
    steps = [
        f"{'>' if each.introduced else ''}{each.node}({', '.join(each.evidence) or 'no facts'})" for each in one.path
    ]
    yield f"  active path then: {printable(' / '.join(steps))}"


def _pruned_lines(repair: why.Repair) -> Iterator[str]:
    if not repair.pruned:
        yield "pruned: nothing, the node had no descendants"
        return
    yield f"pruned, event {repair.pruned_at}: {printable(', '.join(repair.pruned))}"
    for one in repair.lost:
        yield f"  [{printable(one.fact.id)}] {short(one.fact.text, 70)} ({_exposure(one)})"
    yield f"  spent below: {_cost_words(repair.spent_below)}"


def _cost_words(cost: why.Cost) -> str:
    more = f" or more, {cost.uncounted} calls uncounted" if cost.uncounted else ""
    tokens = cost.prompt_tokens + cost.completion_tokens
    return f"{count(cost.calls, 'call')}, {tokens} tokens{more}, {cost.seconds:g} s"


def _exposure(one: why.PrunedFact) -> str:
    if one.context is None:
        return "the context that led to it is not in the record"
    if one.untouched:
        return f"the refuted fact was not in the context that led to it, event {one.context}"
    where = "among the evidence" if one.shown else "in the summary"
    return f"the refuted fact was {where} of the context that led to it, event {one.context}"


def _indented(lines: Iterable[str]) -> Iterator[str]:
    for one in lines:
        yield "\n".join(f"  {each}" for each in one.split("\n"))
