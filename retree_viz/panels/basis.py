"""What an event outside of any conflict rested on: the facts, the reason, and what the policy saw."""

from __future__ import annotations

from retree_core import events as ev
from retree_core.state import State
from retree_core.why import Change, Step
from retree_core.why.steps import step
from retree_core.why.summaries import summary_story
from retree_viz.html import Html, join, tag
from retree_viz.panels.pieces import cut, empty, history_list, section
from retree_viz.panels.ways import way
from retree_viz.panels.why_pieces import asked, fact_list, name, point_list, told
from retree_viz.panels.why_summary import summary_dossier
from retree_viz.run import Run
from retree_viz.words import sentence

MOST_TURNS = 100


def basis(run: Run, moment: int) -> Html:
    """What an event outside of any conflict rested on."""
    event = run.event(moment)
    if event is None:
        return empty("Nothing has happened yet.", "Press → or click a tick on the timeline.")
    lead = section(None, tag("p", told(run, sentence(event, run.at(moment))), cls="lead"))
    return join(lead, own(run, moment), _turns(run, event), _context(run, moment))


def own(run: Run, moment: int) -> Html | None:
    """What is to be said of one event by itself, whatever it is part of."""
    event = run.event(moment)
    if isinstance(event, ev.SummaryWritten):
        return summary_dossier(run, summary_story(run.ledger, moment))
    if event is None:
        return None
    story = step(run.ledger, moment)
    return join(
        section("What it rested on, and what came of it", point_list(run, story.points)) if story.points else None,
        _named(run, event, run.at(moment)),
        _stale(run, event, moment),
        asked(run, story.calls, _asked_in(story)),
    )


def _asked_in(story: Step) -> str:
    """A title for the calls made just before an event."""
    return "The call behind it" if len(story.calls) == 1 else "The calls just before it"


def _named(run: Run, event: ev.Event, state: State) -> Html | None:
    """The facts or passages that an event brought or named, with their texts."""
    match event:
        case ev.FactsExtracted(facts=facts) if facts:
            return section("The new facts", fact_list(run, state, (one.id for one in facts)))
        case ev.DuplicateFound():
            return section("The two facts", fact_list(run, state, (event.of, event.fact)))
        case ev.NodeAdded(evidence=evidence) if evidence:
            return section("What it holds", fact_list(run, state, evidence))
        case ev.FactsAdded(facts=added) if added:
            return section("The new facts", fact_list(run, state, added))
        case ev.FactsSetAside(facts=aside) if aside:
            return section("Set aside", fact_list(run, state, aside))
        case ev.StopChosen(evidence=support) if support:
            return section("What it stopped on", fact_list(run, state, support))
        case ev.NodesPruned():
            held = (state.nodes[one].evidence for one in event.nodes if one in state.nodes)
            return section("What fell", fact_list(run, state, (one for facts in held for one in facts)))
        case ev.PassagesRetrieved(passages=passages) if passages:
            found = (tag("li", name(run, one.id), tag("span", cut(one.title, 200))) for one in passages)
            return section("Passages", tag("ul", *found, cls="facts"))
        case ev.StepTaken():
            return section("What the record says", tag("blockquote", cut(event.text or "nothing", 4000)))
        case _:
            return None


def _stale(run: Run, event: ev.Event, moment: int) -> Html | None:
    """A refused text for a summary leads to the one that was written in its place."""
    if not isinstance(event, ev.SummaryStale):
        return None
    written = run.ledger.next_of(moment, ev.SummaryWritten, ev.SearchChosen)
    if written and isinstance(run.event(written), ev.SummaryWritten):
        return summary_dossier(run, summary_story(run.ledger, written))
    return section("The summary not used", tag("blockquote", cut(event.text, 3000)))


_TURNS = (
    ev.StopRefused,
    ev.SearchFailed,
    ev.ConflictRejected,
    ev.EvidenceRepaired,
    ev.NodesPruned,
    ev.SummaryStale,
    ev.BudgetExhausted,
    ev.Answered,
)
"""The events that a run is remembered by."""


def _turns(run: Run, event: ev.Event) -> Html | None:
    """At the ends of a run: the turns it took, each a way to its moment."""
    if not isinstance(event, ev.RunStarted | ev.Answered | ev.RunEnded):
        return None
    turns = [(moment, one) for moment, one in enumerate(run.events, 1) if isinstance(one, _TURNS)]
    lines = (
        Change(moment=moment, kind=one.kind, words=sentence(one, run.at(moment))) for moment, one in turns[:MOST_TURNS]
    )
    if not turns:
        return section("Turns of this run", tag("p", "No stop was refused, and nothing was contested.", cls="mut"))
    note = f"{MOST_TURNS} of {len(turns):,} shown" if len(turns) > MOST_TURNS else None
    return section("Turns of this run", history_list(lines), aside=note)


def _context(run: Run, moment: int) -> Html | None:
    """What the policy saw when it last chose."""
    state = run.at(moment)
    if state.context is None:
        return None
    node = state.nodes.get(state.context.node)
    summary = node.summary if node and node.summary else ""
    return section(
        join("What the policy saw", join(" at ", name(run, state.context.node)) if run.has_tree else None),
        None
        if state.agent == "react"
        else tag("p", cut(summary, 3000) if summary else tag("span", "nothing written yet", cls="mut"), cls="summary"),
        fact_list(run, state, state.context.evidence)
        if state.context.evidence
        else tag("p", "No evidence was shown.", cls="mut"),
        aside=way(f"{state.context.characters:,} characters", "tab:context"),
    )
