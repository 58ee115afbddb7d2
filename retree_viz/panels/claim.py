"""A claim of the answer with all that it cites: each fact in the revision in force, its passages with the quoted
spans, the way from it to the root, and the values that repairs replaced."""

from __future__ import annotations

from retree_core.memory import Source
from retree_core.state import Citation, State, path
from retree_core.text import count
from retree_core.why import Cited, PastValue, Quoted
from retree_core.why.standing import fate_words
from retree_core.why.steps import claim_stories
from retree_viz.html import Child, Html, join, joined, tag
from retree_viz.panels.icons import icon
from retree_viz.panels.pieces import cut, flag, section, source_block
from retree_viz.panels.ways import at, way
from retree_viz.panels.why_pieces import name
from retree_viz.run import Run
from retree_viz.words import ref

MOST_PASSAGES = 2
"""Passages of one fact that a path names."""


def claim(run: Run, number: int) -> Html:
    """The panel of claim `number`, from 1, as the run ends."""
    story = claim_stories(run.ledger, run.conflicts)[number - 1]
    faults = sum(bool(fault_of(run.last, one.id, one.standing)) for one in story.cited)
    whole = flag("check", "all that it cites was shown and is in force", "repair")
    faulty = flag("warning", f"{faults} of {count(len(story.cited), 'citation')} with a fault", "conflict")
    nothing = flag("warning", "cites nothing", "conflict")
    verdict = nothing if not story.cited else faulty if faults else whole
    why = way("why it says so", "tab:why", "key 1")
    return join(
        section(None, tag("p", cut(story.text, 3000), cls="lead"), tag("p", verdict, " ", why, cls="verdict")),
        *(_cited(run, number, one) for one in story.cited),
    )


def fault_of(state: State, cited: str, standing: str) -> str:
    """What is wrong with a citation: `e7 is stale`; empty where nothing is."""
    if standing == "stale":
        return f"{cited} is stale"
    if standing == "missing":
        kind = "a node" if cited in state.nodes else "a passage" if cited in state.passages else ""
        return f"{cited} is {kind}, no evidence" if kind else f"{cited} does not exist"
    shown = state.answer.shown if state.answer else ()
    return f"{cited} was not shown when the answer was written" if shown and cited not in shown else ""


def path_of(state: State, claim_id: str, cited: Citation) -> tuple[str, ...]:
    """Claim, evidence, passages, in a tree the nodes up to the root; the claim alone where the evidence is missing."""
    sources = tuple(dict.fromkeys(one.passage for one in cited.sources))
    if cited.evidence is None:
        return (claim_id, *sources)
    node = state.evidence[cited.evidence].node if state.has_tree else None
    return (claim_id, cited.evidence, *sources[:MOST_PASSAGES], *(reversed(path(state, node)) if node else ()))


def trail(run: Run, ids: tuple[str, ...], cited: Citation) -> Html:
    """A path as ways to its parts, the fact with its revision."""
    label = f"{cited.evidence} r{cited.revision}" if cited.revision > 1 else None
    return joined(" › ", (ref(one, label) if label and one == cited.evidence else name(run, one) for one in ids))


def _cited(run: Run, number: int, one: Cited) -> Html:
    fault = fault_of(run.last, one.id, one.standing)
    if one.id in run.last.passages and one.standing == "current":
        return _passage_cited(run, number, one.id)
    if not one.history or one.evidence is None:
        said = f"{fault}: the model named evidence that this run never had"
        return section(join("Cites ", name(run, one.id)), flag("warning", said, "conflict"))
    now, former = one.history[-1], one.history[:-1]
    cited = Citation(
        id=one.id,
        standing=one.standing,
        evidence=one.evidence,
        revision=now.revision,
        sources=tuple(each.source for each in now.sources),
    )
    return section(
        join("Cites ", _cited_as(run, one)),
        tag("p", flag("warning", fault, "conflict")) if fault else None,
        tag("p", trail(run, path_of(run.last, f"c{number}", cited), cited), cls="trail"),
        tag("p", cut(now.text, 2000), cls="ft now"),
        *(source_block(each) for each in now.sources),
        flag("warning", "no source in the record") if not now.sources else None,
        *(_former(run, one, value) for value in reversed(former)),
        aside=_standing(run, one, now.revision),
        cls="revision",
    )


def _passage_cited(run: Run, number: int, id_: str) -> Html:
    """A passage that an agent without facts cites itself."""
    read = Quoted(source=Source(passage=id_, quote="", start=0, end=0), passage=run.last.passages[id_])
    path = join(ref(f"c{number}"), " › ", ref(id_))
    return section(
        join("Cites ", name(run, id_)),
        tag("p", path, cls="trail"),
        source_block(read),
        aside=flag("check", "the passage itself", "focus"),
    )


def _cited_as(run: Run, one: Cited) -> Child:
    via = join(" → ", name(run, one.evidence)) if one.evidence and one.evidence != one.id else None
    return join(name(run, one.id), via)


def _standing(run: Run, one: Cited, revision: int) -> Html:
    fact = run.last.evidence.get(one.evidence or "")
    fate = fate_words(fact) if fact else ""
    if one.standing == "stale":
        return flag("warning", f"stale: {fate}", "conflict")
    if one.standing == "repaired":
        return flag("repair", f"repaired, r{revision} in force", "repair")
    return flag("check", fate or one.standing, "focus")


def _former(run: Run, one: Cited, value: PastValue) -> Html:
    """A value that a repair replaced, folded away with its passages and the reason."""
    repair = next(
        (each.repair for each in one.repairs if each.repair and each.repair.revision == value.revision + 1), None
    )
    when = join(" at ", at(repair.moment)) if repair else None
    by = next((each.by for each in one.history if each.revision == value.revision + 1), None)
    return tag(
        "details",
        tag("summary", tag("b", f"r{value.revision}", cls="rev first"), " ", tag("del", cut(value.text, 300))),
        tag("p", icon("repair", "s"), " given up", when, join(" for ", name(run, by)) if by else None, cls="how"),
        tag("blockquote", cut(value.given_up, 1000)) if value.given_up else None,
        *(source_block(each) for each in value.sources),
        cls="more past",
    )
