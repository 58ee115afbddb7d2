"""The dossier of a conflict: both facts, the parts, who said what and why, and what came of it."""

from __future__ import annotations

from retree_core.why import Conflict, Ref
from retree_core.why.deciding import decider, reason_alone
from retree_viz import dossier
from retree_viz.html import Html, join, tag, visible
from retree_viz.panels.pieces import cut, history_list, section
from retree_viz.panels.ways import at
from retree_viz.panels.why_parts import parts
from retree_viz.panels.why_pieces import call_links, fact_card, told, word_for_word
from retree_viz.panels.why_reach import introducers, reach
from retree_viz.run import Run


def conflict_dossier(run: Run, conflict: Conflict, moment: int, *, pruning_first: bool = False) -> Html:
    """All of a conflict; what it pruned comes first where that is what is asked about."""
    took = reach(run, conflict.repair) if conflict.repair else None
    return join(
        took if pruning_first else None,
        _pair(run, conflict),
        judged(run, conflict),
        introducers(run, conflict),
        _history(run, conflict, moment),
        None if pruning_first else took,
    )


def judged(run: Run, conflict: Conflict) -> Html:
    """How it was decided: parts, proposal, verdict."""
    return join(parts(run, conflict), _proposal(run, conflict), _verdict(run, conflict))


def _pair(run: Run, conflict: Conflict) -> Html:
    old, new, repair = conflict.old, conflict.new, conflict.repair
    gone, came = (dossier.changed if repair else dossier.pointed)(old.text[:2000], new.text[:2000])
    if repair:
        left = fact_card(run, old, f"{old.id} r{old.revision}, refuted", "cross", "old", gone)
        right = fact_card(run, new, f"{old.id} r{repair.revision}, was {new.id}", "check", "new", came)
    else:
        kept = {} if conflict.overtaken else {"rejected": "kept, contested", "skipped": "kept"}
        standing = kept.get(conflict.outcome, "challenged")
        left = fact_card(run, old, f"{old.id} r{old.revision}, {standing}", "fact", "plain", gone)
        right = fact_card(run, new, f"{new.id}, the new fact", "conflict", "plain", came)
    return section(None, tag("div", left, right, cls="pair"))


def _proposal(run: Run, conflict: Conflict) -> Html:
    if not conflict.proposed:
        return section("Proposal", tag("p", "This record holds no proposal of the pair.", cls="mut"))
    said = tag("blockquote", cut(conflict.proposal or "none given", 2000))
    calls = conflict.proposal_calls
    title = join("Reason given with the proposal, ", at(conflict.proposed))
    return section(title, said, word_for_word(run, calls), aside=call_links(run, calls))


def _verdict(run: Run, conflict: Conflict) -> Html | None:
    if not conflict.decided:
        return None
    verdict = "Rejected" if conflict.outcome == "rejected" else "Confirmed"
    reason = reason_alone(conflict.by, conflict.reason)
    said = tag("blockquote", cut(reason, 2000)) if reason else None
    what = tag("p", told(run, conflict.decision), cls="how") if conflict.decision else None
    how = join(f"{verdict} by {decider(conflict.by)}, ", at(conflict.decided))
    calls = conflict.confirmation_calls
    return section(how, what, said, word_for_word(run, calls), aside=call_links(run, calls))


def _history(run: Run, conflict: Conflict, moment: int) -> Html:
    id_ = conflict.old.id
    one = run.at(moment).evidence.get(id_) or run.last.evidence.get(id_)
    if one is None:
        return section(
            f"History of {visible(id_)[:60]}", tag("p", told(run, (Ref(id_), " is not in the record.")), cls="mut")
        )
    most = run.trace.header.settings.repairs_per_fact
    lines = history_list(run.changes(id_), moment)
    return section(f"History of {id_}", lines, aside=f"{len(one.revisions) - 1} of {most} repairs used")
