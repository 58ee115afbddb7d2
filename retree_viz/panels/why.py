"""Why: a pair that is asked about, the conflict of the moment, the selected claim, or what the event rested on."""

from __future__ import annotations

from retree_core import events as ev
from retree_core.text import count
from retree_core.why import Conflict
from retree_viz import dossier
from retree_viz.html import Html, join, joined, tag
from retree_viz.panels.basis import basis, own
from retree_viz.panels.icons import icon, of_event, tone
from retree_viz.panels.pieces import history_list, section
from retree_viz.panels.ways import at, way
from retree_viz.panels.why_claim import claim_dossier, claim_of
from retree_viz.panels.why_conflict import conflict_dossier, judged
from retree_viz.panels.why_pair import HEADLINES, absence_dossier, pair_choices, pair_of
from retree_viz.panels.why_pieces import name, told
from retree_viz.panels.why_reach import introducers, reach
from retree_viz.run import Run

_BY_THEMSELVES = (ev.SummaryWritten, ev.SummaryStale, ev.SummaryDiscarded, ev.FactsSetAside, ev.SearchResumed)
"""Events of a repair that have more to say than their repair does."""
MOST_OTHERS = 12
"""Other conflicts of a fact that are named before they are counted."""


def why(run: Run, moment: int, selected: str = "", pair: str = "") -> Html:
    """The Why panel at a moment, for the selected fact or claim, or for two facts."""
    absence = pair_of(run, selected, pair)
    if absence is not None:
        return join(absence_dossier(run, absence), _settled(run, absence.conflict), pair_choices(run, selected))
    conflict = dossier.conflict_at(run, moment, selected)
    claim = claim_of(run, selected)
    if conflict is not None:
        whole = conflict_dossier(run, conflict, moment, pruning_first=_prunes(run, conflict, moment))
        return join(_event(run, conflict, moment, selected), whole, pair_choices(run, selected))
    if claim is not None:
        return claim_dossier(run, claim, moment)
    return join(basis(run, moment), _fact(run, selected, moment), pair_choices(run, selected))


def _settled(run: Run, conflict: Conflict | None) -> Html | None:
    """How a pair was judged, where it was proposed."""
    if conflict is None:
        return None
    took = reach(run, conflict.repair) if conflict.repair else None
    return join(judged(run, conflict), introducers(run, conflict), took)


def _prunes(run: Run, conflict: Conflict, moment: int) -> bool:
    """Whether the event of a moment is the pruning of a conflict's repair."""
    return conflict.repair is not None and conflict.repair.pruned_at == moment


def _event(run: Run, conflict: Conflict, moment: int, selected: str) -> Html | None:
    """What an event of a repair says by itself; or that the panel is not about what is selected, or about the event."""
    claim, answered = claim_of(run, selected), run.ledger.last_of(run.total, ev.Answered)
    if claim is not None and answered:
        words = ("Claim ", name(run, selected), " is selected; what it rests on is told at ", at(answered), ".")
        return section(None, tag("p", *words, cls="how"))
    if not _inside(run, conflict, moment):
        other = way(f"event {moment} by itself", "select:")
        return section(
            None, tag("p", "About the selected fact. See ", other, ".", cls="how"), _others(run, conflict, selected)
        )
    return own(run, moment) if isinstance(run.event(moment), _BY_THEMSELVES) else None


def _others(run: Run, conflict: Conflict, selected: str) -> Html | None:
    """The other conflicts of the selected fact, each as a way to it."""
    others = [one for one in dossier.conflicts_of(run, selected) if one is not conflict and one.moments]
    ways = (
        join(name(run, one.new.id), " against ", name(run, one.old.id), f", {one.outcome}, ", at(max(one.moments[:2])))
        for one in others[:MOST_OTHERS]
    )
    more = f"; {len(others) - MOST_OTHERS} more" if len(others) > MOST_OTHERS else None
    return tag("p", "Its other conflicts: ", joined("; ", ways), more, ".", cls="how") if others else None


def _inside(run: Run, conflict: Conflict, moment: int) -> bool:
    first, last = dossier.span(run, conflict)
    return first <= moment <= last


def _fact(run: Run, selected: str, moment: int) -> Html | None:
    """The life of a selected fact that was never contested."""
    if selected not in run.last.evidence:
        return None
    return section(join("How ", name(run, selected), " came to be"), history_list(run.changes(selected), moment))


def title(run: Run, moment: int, selected: str = "", pair: str = "") -> tuple[Html, str, str, str]:
    """Heading, line below it, icon and colour class of the panel."""
    absence = pair_of(run, selected, pair)
    if absence is not None:
        words = tag(
            "span",
            "Why no backtrack: " if run.has_tree else "Why no replacement: ",
            name(run, absence.old.id),
            " and ",
            name(run, absence.new.id),
        )
        repaired = absence.reason == "repaired"
        return words, HEADLINES.get(absence.reason, absence.reason), "pair", "repair" if repaired else "refuse"
    conflict = dossier.conflict_at(run, moment, selected)
    if conflict is not None:
        return _conflict_title(run, conflict, pruning=_prunes(run, conflict, moment))
    claim = claim_of(run, selected)
    if claim is not None:
        return tag("span", f"Why claim c{claim}"), "what it rests on, and what changed under it", "flag", "claim"
    event = run.event(moment)
    if event is None:
        return tag("span", "Nothing has happened yet"), "step forward", "tree", "focus"
    words = tag("span", event.kind.replace("_", " ").capitalize())
    return words, f"event {moment} of {run.total}", of_event(event.kind), tone(event.kind)


def _conflict_title(run: Run, conflict: Conflict, *, pruning: bool) -> tuple[Html, str, str, str]:
    first, last = dossier.span(run, conflict)
    calls = len(conflict.proposal_calls) + len(conflict.confirmation_calls)
    where = f"events {first} to {last}" if last > first else f"event {first}"
    made = f" · {count(calls, 'model call')}" if calls else ""
    marks = {"repaired": ("repair", "repair"), "rejected": ("conflict", "refuse")}
    mark, colour = marks.get(conflict.outcome, ("conflict", "conflict"))
    words = told(run, dossier.dossier_title(conflict, has_tree=run.has_tree))
    if pruning and conflict.repair:
        mark, words = "cut", join(count(len(conflict.repair.pruned), "node"), " pruned: ", words)
    return words, f"{where} · search {conflict.search}{made}", mark, colour


_OUTCOMES = {
    "repaired": ("check", "confirmed", "ok"),
    "confirmed": ("check", "confirmed", "ok"),
    "rejected": ("cross", "rejected", "bad"),
    "skipped": ("dash", "no change", ""),
    "open": ("clock", "undecided", ""),
}


def about(run: Run, moment: int, selected: str = "", pair: str = "") -> Conflict | None:
    """The conflict that the panel is about."""
    absence = pair_of(run, selected, pair)
    return absence.conflict if absence else dossier.conflict_at(run, moment, selected)


def outcome(run: Run, moment: int, selected: str = "", pair: str = "") -> Html | None:
    """How the conflict ended that the panel is about; nothing where it is about none."""
    conflict = about(run, moment, selected, pair)
    if conflict is None:
        return None
    mark, word, cls = _OUTCOMES[conflict.outcome]
    return tag("span", icon(mark, "s"), word, cls=f"tag {cls}")
