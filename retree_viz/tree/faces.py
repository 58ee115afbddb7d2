"""What is written on a card at a moment: plain values, no positions and no colours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from retree_core.events import StepTaken
from retree_core.memory import Evidence, Node, Search
from retree_core.state import ROOT, State
from retree_core.text import count
from retree_core.text.cut import cut_label
from retree_core.text.difference import common_ends
from retree_core.why.standing import fate_words
from retree_viz.html import host
from retree_viz.tree.chronicle import Card, Chronicle
from retree_viz.tree.text import Run, shown
from retree_viz.words import plain, was

MOST_CHIPS = 12
"""Facts drawn on one card; the rest is a count."""
MOST_CHANGES = 2
"""Repaired facts written out on one card; the others are chips with a badge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """One fact on a card."""

    id: str
    look: str
    """Its fate, or `missing`, or `more` for the count of those left out."""
    label: str
    badge: str = ""
    """`r2` after a repair."""
    sources: int = 1
    mark: str = ""
    """`proposed`, `confirmed`, `rejected` while a conflict is being decided; `contested` ever after a rejection."""
    back: bool = False
    """It restates a fact that was given up before."""
    tip: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A repaired fact, its old words struck through."""

    chip: Chip
    old: tuple[Run, ...]
    new: tuple[Run, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Face:
    """All the words of a card."""

    name: str
    """Its id, in the header: `n3`, `root`, `answer`; empty for a search."""
    meta: tuple[str, ...]
    """What follows the id, longest first."""
    title: str
    summary: str = ""
    note: str = ""
    changes: tuple[Change, ...] = ()
    chips: tuple[Chip, ...] = ()
    foot: str = ""
    outcome: str = ""
    """For a search: `under way`, `repairing`, `failed`, `empty`, or nothing special."""


def face(state: State, card: Card, story: Chronicle, marks: Mapping[str, str]) -> Face:
    """The words of a card at a moment at which it has started."""
    match card.kind:
        case "answer":
            return _answer(state)
        case "step":
            return _step(story.steps[card.id])
        case "missing":
            facts = [one for one in story.loose.get(card.id, ()) if one in state.evidence]
            return Face(
                name=cut_label(shown(card.key), 10), meta=(), title=card.note, chips=_chips(state, facts, marks, story)
            )
        case "node" if card.key in state.nodes:
            return _node(state, state.nodes[card.key], card, story, marks)
        case _:
            return _search(state, card, story, marks)


def _answer(state: State) -> Face:
    answer = state.answer
    if answer is None:
        return Face(name="answer", meta=(), title="")
    claims = count(len(answer.claims), "claim")
    return Face(name="answer", meta=(), title=shown(answer.text) or "(empty)", foot=claims)


def _step(step: StepTaken) -> Face:
    return Face(
        name=f"{step.number}", meta=("step", ""), title=shown(step.name) or "(no name)", summary=shown(step.text)
    )


def _node(state: State, node: Node, card: Card, story: Chronicle, marks: Mapping[str, str]) -> Face:
    changed = tuple(dict.fromkeys(id_ for id_, _ in reversed(node.repairs) if id_ in state.evidence))[:MOST_CHANGES]
    changes = tuple(_change(state, state.evidence[id_], marks, story) for id_ in reversed(changed))
    loose = (one for one in story.loose.get(card.id, ()) if one in state.evidence)
    chips = _chips(state, [*(one for one in node.evidence if one not in changed), *loose], marks, story)
    if node.id == ROOT:
        meta: tuple[str, ...] = ("question", "")
    else:
        meta = _search_meta(node.search, story)
    return Face(
        name="" if node.id == ROOT and state.agent == "imported" else shown(node.id),
        meta=meta,
        title=_query(node.query, node.search, state, story),
        summary=shown(node.summary),
        note=_note(state, node.id, story),
        changes=changes,
        chips=chips,
        foot=_came_back(node.evidence, story),
    )


def _came_back(facts: Iterable[str], story: Chronicle) -> str:
    """The card's line on facts that were given up before: `e9 was e3, pruned at event 21`."""
    back = [one for one in dict.fromkeys(facts) if one in story.returned]
    if len(back) > 1:
        return f"{len(back)} facts were given up before"
    return f"{shown(back[0])} {shown(plain(was(story.returned[back[0]])))}" if back else ""


def _search_meta(search: int, story: Chronicle) -> tuple[str, ...]:
    if search in story.forced:
        return (f"forced search {search}", "forced search", "forced")
    return (f"search {search}", f"s{search}")


def _query(query: str, search: int, state: State, story: Chronicle) -> str:
    if search in story.forced and query == state.question:
        return "(the question itself)"
    return shown(query) or "(empty query)"


_NOTES = {
    "regenerated": "summary regenerated, event {}",
    "kept": "the parent's summary, event {}",
    "facts": "summary made of the facts, event {}",
}


def _note(state: State, node: str, story: Chronicle) -> str:
    """How the node came by its summary, unless a model just wrote it."""
    written = [one for one in story.summaries.get(node, ()) if one[0] <= state.moment]
    return _NOTES[written[-1][1]].format(written[-1][0]) if written and written[-1][1] in _NOTES else ""


def _search(state: State, card: Card, story: Chronicle, marks: Mapping[str, str]) -> Face:
    """A search without a node of its own, or one whose node is still to come."""
    likely = state.searches[card.search - 1 : card.search] or state.searches
    search = next((one for one in (*likely, *state.searches) if one.number == card.search), None)
    if search is None:
        return Face(name="", meta=(f"search {card.search}",), title="(not in the record)")
    own = [one for one in story.facts.get(card.search, ()) if one in state.evidence]
    facts = [one for one in own if story.card_of_evidence.get(one) == card.id]
    outcome, foot = _outcome(state, search, own)
    return Face(
        name="",
        meta=_search_meta(search.number, story),
        title=_query(search.query, search.number, state, story),
        chips=_chips(state, facts, marks, story),
        foot=foot or _came_back(facts, story),
        outcome=outcome,
    )


def _outcome(state: State, search: Search, facts: list[str]) -> tuple[str, str]:
    """What became of a search so far: one word, and a line for the card's foot."""
    absorbed = [one for one in map(state.evidence.__getitem__, facts) if one.fate == "absorbed"]
    repaired = [f"{shown(one.other or '?')} r{_revision_by(state, one)}" for one in absorbed[:MOST_CHIPS]]
    aside = sum(state.evidence[one].fate == "set_aside" for one in facts)
    if repaired:
        others = f"; {aside} other{'s' * (aside != 1)} set aside" if aside else ""
        more = f" and {len(absorbed) - MOST_CHIPS} more" if len(absorbed) > MOST_CHIPS else ""
        return "repairing", f"became {', '.join(repaired)}{more}{others}"
    if search.failure:
        return "failed", f"failed: {search.failure.replace('_', ' ')}"
    if search.number == len(state.searches) and state.ended is None and state.answer is None:
        return "under way", f"{count(len(search.passages), 'passage')} found" if search.passages else "searching"
    if not search.passages:
        return "empty", "no passage found"
    return ("", "") if facts else ("empty", "no new fact")


def _revision_by(state: State, fact: Evidence) -> int:
    holder = state.evidence.get(fact.other or "")
    return next((one.number for one in holder.revisions if one.by == fact.id), 1) if holder else 1


def _chips(state: State, ids: Iterable[str], marks: Mapping[str, str], story: Chronicle) -> tuple[Chip, ...]:
    every = list(dict.fromkeys(ids))
    some = every if len(every) <= MOST_CHIPS else every[: MOST_CHIPS - 1]
    chips = [_chip(state, one, marks, story) for one in some]
    if len(some) < len(every):
        chips.append(Chip(id="", look="more", label=f"+{len(every) - len(some)}", tip="more facts on this card"))
    return tuple(chips)


def _chip(state: State, id_: str, marks: Mapping[str, str], story: Chronicle) -> Chip:
    one = state.evidence.get(id_)
    if one is None:
        return Chip(id=id_, look="missing", label=f"{shown(id_)} ?", tip=f"{shown(id_)} is not in the record")
    now = one.current
    return Chip(
        id=id_,
        look=one.fate,
        label=shown(id_),
        badge=f"r{now.number}" if len(one.revisions) > 1 else "",
        sources=len({source.passage for source in now.sources}),
        mark=marks.get(id_) or ("contested" if one.contested_by else ""),
        back=id_ in story.returned,
        tip=_tip(state, one, story),
    )


def _tip(state: State, one: Evidence, story: Chronicle) -> str:
    """Plain lines for the hover: the text, where it was read, what became of it."""
    revision = f" r{one.current.number}" if len(one.revisions) > 1 else ""
    challenged = f"; challenged by {', '.join(map(shown, one.contested_by))}, rejected" if one.contested_by else ""
    sources = [_where(state, source.passage) for source in one.current.sources]
    said = f"{shown(one.id)}{revision}: {shown(one.text)[:400]}"
    lines = [said, *sources[:4], f"{shown(fate_words(one))}{challenged}"]
    if one.id in story.returned:
        lines.append(shown(plain(was(story.returned[one.id]))))
    if one.id in story.returning:
        lines.append(f"comes back as {shown(story.returning[one.id])}")
    return "\n".join(lines)


def _where(state: State, id_: str) -> str:
    passage = state.passages.get(id_)
    if passage is None:
        return f"{shown(id_)}, which is not in the record"
    return " · ".join(filter(None, (shown(id_), shown(passage.title)[:80], shown(host(passage.url or "") or "")[:60])))


def _change(state: State, one: Evidence, marks: Mapping[str, str], story: Chronicle) -> Change:
    before, after = one.revisions[-2:] if len(one.revisions) > 1 else (one.current, one.current)
    first, old, new, last = differing(shown(before.text), shown(after.text))
    now = ", ".join(dict.fromkeys(source.passage for source in after.sources)) or "?"
    was = ", ".join(dict.fromkeys(source.passage for source in before.sources)) or "?"
    meta = Run(f" {shown(now)}, was {shown(was)}", "meta")
    head = (Run(f"{first} "),) if first else ()
    tail = (Run(f" {last}"),) if last else ()
    return Change(
        chip=_chip(state, one.id, marks, story),
        old=(*head, Run(old or "(nothing)", "old")),
        new=(Run(new or "(nothing)", "new"), *tail, meta),
    )


def differing(old: str, new: str) -> tuple[str, str, str, str]:
    """The words before, the old ones, the new ones, the words after; common stretches are cut to two words.

    >>> differing("It was designed by Edmund Harcastle.", "It was designed by Ines Falkenrath.")
    ('…designed by', 'Edmund Harcastle', 'Ines Falkenrath', '')
    """
    if old.endswith(".") and new.endswith("."):
        old, new = old[:-1], new[:-1]
    left, right = old.split(), new.split()
    start, end = common_ends(left, right)
    first, last = left[:start], left[len(left) - end :]
    head = " ".join(first) if len(first) <= 2 else "…" + " ".join(first[-2:])
    tail = " ".join(last) if len(last) <= 2 else " ".join(last[:2]) + "…"
    return head, " ".join(left[start : len(left) - end]), " ".join(right[start : len(right) - end]), tail
