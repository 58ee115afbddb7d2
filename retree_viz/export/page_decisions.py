"""The part of an exported page that says why facts changed, or did not: every decided conflict, as far as it went."""

from __future__ import annotations

from retree_core.secrets import redact
from retree_core.state import State
from retree_core.text import count
from retree_core.why import Conflict, Fact, Repair
from retree_core.why.deciding import decider, reason_alone
from retree_viz import dossier
from retree_viz.export import Exported
from retree_viz.export.page_parts import section, source
from retree_viz.html import Child, Html, join, spans, tag
from retree_viz.panels.pieces import cut
from retree_viz.tree.chronicle import Moment

LONGEST_FACT = 3000
"""Characters of a fact."""


def decisions(what: Exported) -> Html:
    """Repairs and rejections up to the moment: facts with passages, who decided and why, and what was pruned."""
    every = [one for one in what.run.conflicts if 0 < _known_at(one) <= what.moment]
    if not every:
        return Html("")
    state = what.run.at(what.moment)
    repairs = sum(_repair_by(one, what.moment) is not None for one in every)
    aside = f"{count(repairs, 'repair')}, {len(every) - repairs} other"
    return section("Repairs and rejections", *(_decision(state, one, what.moment) for one in every), aside=aside)


def _known_at(one: Conflict) -> int:
    """The moment it was decided; that of the repair where the record holds no decision; 0 where it is open."""
    return one.decided or (one.repair.moment if one.repair else 0)


def _repair_by(one: Conflict, moment: Moment) -> Repair | None:
    """The repair, where it was made by the moment."""
    return one.repair if one.repair and one.repair.moment <= moment else None


def _decision(state: State, one: Conflict, moment: Moment) -> Html:
    repair = _repair_by(one, moment)
    gone, came = (dossier.changed if repair else dossier.pointed)(
        one.old.text[:LONGEST_FACT], one.new.text[:LONGEST_FACT]
    )
    verdict = "rejected" if one.outcome == "rejected" else "confirmed"
    fate = f"{'repaired' if repair else verdict} at event {(repair.moment if repair else one.decided) or 0:,}"
    return tag(
        "article",
        tag("h3", f"{one.new.id} against {one.old.id}", tag("span", fate, cls="fate")),
        _side(state, one.old, one.old.id, (0, len(one.old.text)) if repair else gone, "del" if repair else "b"),
        _side(state, one.new, one.new.id, came, "ins" if repair else "b"),
        _row("Proposed", one.proposed, cut(one.proposal, 2000)) if one.proposed else None,
        _verdict(one, verdict) if one.decided else None,
        _guards(one),
        _took(repair, moment) if repair else None,
        cls="card decision",
    )


def _side(state: State, fact: Fact, label: str, differs: tuple[int, int], name: str) -> Html:
    """A fact as it read then, with its passages."""
    revision = tag("span", f"r{fact.revision}", cls="rev") if fact.revision > 1 else None
    words = spans(redact(fact.text)[:LONGEST_FACT], [differs], name) if fact.text else "not in the record"
    sources = (source(state, one.source) for one in fact.sources)
    return tag("div", tag("span", label, revision, cls="id"), words, *sources, cls="side")


def _verdict(one: Conflict, verdict: str) -> Html:
    reason = reason_alone(one.by, one.reason)
    return join(
        _row(verdict.capitalize(), one.decided, f"by {decider(one.by)}. ", "".join(one.decision)),
        tag("blockquote", cut(reason, 2000)) if reason else None,
    )


def _guards(one: Conflict) -> Html | None:
    if not one.guards:
        return None
    objections = [each for each in one.guards if not each.passed]
    passed = count(len(one.guards) - len(objections), "guard")
    said = (tag("li", tag("b", each.name), ": ", cut(each.detail, 1000)) for each in objections)
    return join(
        _row("Guards", None, f"{len(objections) or 'none'} objected, {passed} had no objection"),
        tag("ul", *said) if objections else None,
    )


def _took(repair: Repair, moment: Moment) -> Html:
    """What fell with the repair, and where search went on, as far as that had come by the moment."""
    fell: Html | None = None
    if not repair.pruned:
        fell = _row("Pruned", None, "nothing")
    elif repair.pruned_at and repair.pruned_at <= moment:
        nodes = f"{count(len(repair.pruned), 'node')} ({', '.join(repair.pruned)})"
        lost = (tag("li", tag("span", one.fact.id, cls="id"), cut(one.fact.text, 1000)) for one in repair.lost)
        fell = join(_row("Pruned", repair.pruned_at, nodes), tag("ul", *lost) if repair.lost else None)
    on = repair.resumed_at is not None and repair.resumed_at <= moment
    return join(fell, _row("Search went on", repair.resumed_at, f"at {repair.resumed}") if on else None)


def _row(label: str, moment: Moment | None, *words: Child) -> Html:
    at = tag("span", f", event {moment:,}", cls="mut") if moment else None
    return tag("p", tag("b", label), at, ": ", *words)
