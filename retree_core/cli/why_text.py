"""Causal chains as lines for a terminal. Everything from outside goes through `printable`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from retree_core import why
from retree_core.cli.why_conflict import (
    calls_words,
    conflict_lines,
    fact_lines,
    headline,
    history_lines,
    introducer_lines,
)
from retree_core.cli.why_pair import absence_lines
from retree_core.terminal import printable, short, wrapped
from retree_core.text.difference import Stretch


def story_lines(story: why.Story) -> Iterator[str]:
    """Any answer of `retree_core.why`, as text."""
    match story:
        case why.RunStory():
            yield from _run(story)
        case why.Conflict():
            yield from conflict_lines(story)
        case why.EvidenceStory():
            yield from _evidence(story)
        case why.ClaimStory():
            yield from _claim(story)
        case why.SummaryStory():
            yield from summary_lines(story)
        case why.Step():
            yield from _step(story)
        case why.Absence():
            yield from absence_lines(story)


def _run(story: why.RunStory) -> Iterator[str]:
    yield wrapped(story.question)
    yield from (f"  search {number}: {short(query)}" for number, query in story.searches)
    yield from (f"event {one.moment}: stop refused, {printable(one.text)}" for one in story.refused)
    repairs = [one for one in story.conflicts if one.repair]
    others = [one for one in story.conflicts if not one.repair]
    yield f"repairs: {len(repairs)}, other conflicts: {len(others)}"
    for one in repairs:
        yield ""
        yield from conflict_lines(one)
    if others:
        yield ""
        yield from (headline(one) for one in others)
    yield ""
    detail = f" ({printable(story.detail)})" if story.detail else ""
    yield f"{story.status}{detail}: {printable(story.answer or 'no answer')}"
    for claim in story.claims:
        yield from _claim_head(claim)


def _claim_head(story: why.ClaimStory) -> Iterator[str]:
    cites = ", ".join(f"{printable(one.id)} {one.standing}" for one in story.cited) or "cites nothing"
    yield f"  claim {story.number}: {short(story.text, 80)} [{cites}]"


def _claim(story: why.ClaimStory) -> Iterator[str]:
    yield wrapped(f"claim {story.number}: {story.text}")
    yield f"  {calls_words('written by', story.calls)}"
    if not story.cited:
        yield "  cites nothing"
    for one in story.cited:
        via = f" (restated by or absorbed into {printable(one.evidence)})" if one.evidence not in (None, one.id) else ""
        yield ""
        yield f"  [{printable(one.id)}] {one.standing}{via}"
        yield from (f"    {line}" for line in history_lines(one.history, spans=True))
        for repair in one.repairs:
            yield f"    {headline(repair)}"
    yield ""
    yield from _changes(story.changes)


def _evidence(story: why.EvidenceStory) -> Iterator[str]:
    other = f" {printable(story.other)}" if story.other else ""
    yield f"{printable(story.id)}: {story.fate.replace('_', ' ')}{other}" + _at(" at event", story.pruned_at)
    if story.found:
        yield f'  found by search {story.found.search} "{short(story.found.query)}", event {story.found.moment}'
        yield f"  {calls_words('extracted by', story.found.calls)}"
    if story.led_by:
        yield "  the context that led to this search"
        yield from (f"    {line}" for line in context_lines(story.led_by))
    if story.introducer:
        yield from (f"  {line}" for line in introducer_lines(story.introducer))
    yield "  history"
    yield from (f"    {line}" for line in history_lines(story.history, spans=True))
    if story.duplicates:
        yield f"  restated by {printable(', '.join(story.duplicates))}"
    for one in story.conflicts:
        yield f"  {headline(one)}"
    yield f"  shown to the policy at events {_numbers(story.shown_at)}"
    yield f"  cited by claims {_numbers(story.claims)}"
    yield from _changes(story.changes)


def _changes(changes: Iterable[why.Change]) -> Iterator[str]:
    yield "  changes"
    yield from (f"    event {one.moment}: {short(''.join(one.words), 160)}" for one in changes)


def _step(story: why.Step) -> Iterator[str]:
    yield f"event {story.moment}: {story.kind}" + (f", {printable(story.text)}" if story.text else "")
    if story.search:
        yield f'  last search: {story.search} "{short(story.query)}"'
    for one in story.points:
        at = f" (event {one.moment})" if one.moment else ""
        yield wrapped(f"{one.label.lower()}: {''.join(one.words)}{at}", "  ")
    yield f"  {calls_words('calls before it', story.calls)}"
    if story.named:
        yield "  the facts it names"
    for fact in story.named:
        yield from (f"    {line}" for line in fact_lines(fact))
    if story.context:
        yield "  the policy saw"
        yield from (f"    {line}" for line in context_lines(story.context))
    if story.next:
        yield f"  next decision: event {story.next}"


def context_lines(context: why.Context) -> Iterator[str]:
    """What the policy saw."""
    yield f"event {context.moment}, at {printable(context.node)}, {context.characters} characters"
    yield f"summary: {short(context.summary, 200) or '(nothing yet)'}"
    for one in context.evidence:
        yield f"[{printable(one.id)}] {short(one.text)}"
    if not context.evidence:
        yield "no evidence"


def summary_lines(story: why.SummaryStory) -> Iterator[str]:
    """A summary: who wrote it, what it was drawn from, what was left out, and how it differs from the one before."""
    cut = ", cut to the word bound" if story.cut else ""
    yield f"event {story.moment}: summary of {printable(story.node)}, {story.origin}{cut}"
    yield wrapped(story.how + _at(", event", story.cause), "  ")
    yield wrapped(story.text, "  ")
    yield f"  {calls_words('calls', story.calls)}"
    for refused in story.stale:
        yield f"  refused as stale, event {refused.moment}: still says {short(refused.value, 60)}"
        yield f"    {short(refused.text, 120)}"
    for text in story.invented:
        yield f"  left out, its values are nowhere in force: {short(text, 120)}"
    if story.former:
        yield f"  the summary of {printable(story.former_of)} before it, [-taken away-] {{+added+}}"
        yield wrapped("".join(map(_marked, story.wording)), "    ")
    yield "  drawn from"
    for one in story.facts:
        yield f"    [{printable(one.id)}] revision {one.revision}: {short(one.text)}"


def _marked(piece: Stretch) -> str:
    """A stretch of words as `wdiff` marks it."""
    ends = {"gone": ("[-", "-]"), "new": ("{+", "+}")}.get(piece.kind, ("", ""))
    return f"{ends[0]}{piece.text}{ends[1]}"


def _numbers(values: Iterable[int]) -> str:
    return ", ".join(map(str, values)) or "none"


def _at(words: str, moment: int | None) -> str:
    return f"{words} {moment}" if moment else ""
