"""Why a claim of the answer says what it says: what it cites, what that rests on, and what repairs changed under it."""

from __future__ import annotations

from retree_core.secrets import redact
from retree_core.why import Cited, ClaimStory, Conflict
from retree_core.why.steps import claim_stories
from retree_viz import dossier
from retree_viz.html import Html, join, spans, tag
from retree_viz.panels.icons import icon
from retree_viz.panels.pieces import SHORT, cut, heading, history_list, passage_body, said, section, source_block
from retree_viz.panels.ways import at
from retree_viz.panels.why_pieces import asked, name
from retree_viz.run import Run


def claim_of(run: Run, selected: str) -> int | None:
    """The number of the selected claim, from 1; None where no claim of this run is selected."""
    claims = run.last.answer.claims if run.last.answer else ()
    return next((number for number in range(1, len(claims) + 1) if selected == f"c{number}"), None)


def claim_dossier(run: Run, number: int, moment: int) -> Html:
    """The causal chain of a claim, from the searches to the answer."""
    story = claim_stories(run.ledger, run.conflicts)[number - 1]
    return join(
        section(None, tag("p", cut(story.text, 3000), cls="lead"), _summary(story)),
        *(_cited(run, one) for one in story.cited),
        section("How it came to this", history_list(story.changes, moment)) if story.changes else None,
        asked(run, story.calls, "Written in"),
    )


def _summary(story: ClaimStory) -> Html:
    repairs = sum(len(one.repairs) for one in story.cited)
    if not story.cited:
        return said("warning", "It cites nothing: nothing of the record supports it.", tone="refuse")
    bad = [one.id for one in story.cited if one.standing in ("stale", "missing")]
    if bad:
        missing = f"{redact(', '.join(bad))[:200]} is no evidence in force: this claim rests on less than it says."
        return said("warning", missing, tone="refuse")
    changed = {0: "no repair changed it", 1: "a repair changed what it rests on"}.get(
        repairs, f"{repairs} repairs changed what it rests on"
    )
    return tag("p", f"It rests on evidence in force; {changed}.", cls="how")


def _cited(run: Run, one: Cited) -> Html:
    if one.id in run.last.passages and not one.history:
        passage = run.last.passages[one.id]
        body = tag("div", *heading(passage), passage_body(passage, (), SHORT), cls="pp")
        return section(join("Cites ", name(run, one.id)), body, aside="a passage as a whole")
    if not one.history:
        missing = said("warning", "There is no such evidence in this run.", tone="refuse")
        return section(join("Cites ", name(run, one.id)), missing)
    now = one.history[-1]
    via = join(", now part of ", name(run, one.evidence)) if one.evidence and one.evidence != one.id else None
    return section(
        join("Cites ", name(run, one.id), via, tag("b", f"r{now.revision}", cls="rev") if now.revision > 1 else None),
        tag("p", cut(now.text, 2000), cls="ft"),
        *(source_block(each) for each in now.sources),
        *(_repair(run, each) for each in one.repairs),
        aside=one.standing,
    )


def _repair(run: Run, one: Conflict) -> Html:
    """What a repair changed under a claim."""
    assert one.repair is not None
    gone, came = dossier.changed(one.old.text[:2000], one.new.text[:2000])
    was = tag("p", "Before: ", spans(redact(one.old.text)[:2000], [gone], "del"), cls="was")
    now = tag("p", "Then: ", spans(redact(one.new.text)[:2000], [came], "ins"), cls="was")
    reason = tag("blockquote", cut(one.reason, 1000)) if one.reason else None
    head = tag(
        "h4",
        icon("repair", "s"),
        " Repaired to ",
        f"r{one.repair.revision} by ",
        name(run, one.new.id),
        " at ",
        at(one.repair.moment),
    )
    return tag("div", head, was, now, reason, cls="under")
