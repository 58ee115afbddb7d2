"""What the browser needs to light the path of a claim, or all that rests on a fact, at once and by itself.

Sent once a run, not once a step. It holds edges, not closures: of each fact the searches it was in view of, of
each search what it brought; `assets/light.js` follows them as `retree_core.why.dependence` does.
"""

from __future__ import annotations

from typing import Any

from retree_core.state import State, citations
from retree_core.why.dependence import Dependence, Yield
from retree_viz.tree.chronicle import Card, Chronicle
from retree_viz.tree.text import shown


def links(name: str, last: State, story: Chronicle, known: Dependence, *, short: bool) -> dict[str, Any]:
    """The links of a run as plain JSON. `name` tells the browser whose they are; `short` cuts what find reads."""
    return {
        "run": shown(name),
        "cards": _cards(story),
        "views": {fact: seen for fact, seen in known.views.items() if fact in story.card_of_evidence},
        "yields": {str(search): _brought(brought) for search, brought in known.yields.items()},
        "heirs": known.heirs,
        "citing": known.citing,
        "claims": _claims(last),
        "passages": _passages(last),
        "holders": {id_: card for id_, (card, _) in story.first_passages.items()},
        "find": _texts(last, story, 120 if short else 1200),
    }


def _cards(story: Chronicle) -> dict[str, list[str]]:
    """Card to the facts on it."""
    cards: dict[str, list[str]] = {}
    for fact, card in story.card_of_evidence.items():
        cards.setdefault(card, []).append(fact)
    return cards


def _brought(brought: Yield) -> dict[str, Any]:
    return {"facts": brought.facts, "nodes": brought.nodes}


def _claims(last: State) -> dict[str, Any]:
    """Of each claim what it cites: facts, each with the passages that it names now, or a passage itself."""
    return {
        f"c{number}": [
            {"fact": one.evidence or "", "passages": list(dict.fromkeys(source.passage for source in one.sources))}
            for one in citations(last, claim)
            if one.standing != "missing"
        ]
        for number, claim in enumerate(last.answer.claims if last.answer else (), 1)
    }


def _passages(last: State) -> dict[str, list[str]]:
    """Of each passage the facts that name it."""
    passages: dict[str, list[str]] = {id_: [] for id_ in last.passages}
    for id_, one in last.evidence.items():
        for passage in dict.fromkeys(source.passage for each in one.revisions for source in each.sources):
            passages.setdefault(passage, []).append(id_)
    return passages


def _texts(last: State, story: Chronicle, most: int) -> list[list[str]]:
    """What can be found: kind and id of each, the card it is on, and at most `most` characters of its words."""
    found = []
    for card in story.cards.values():
        found.append([card.kind, *_words(last, card, most)])
    for id_, one in last.evidence.items():
        values = " / ".join(shown(each.text)[:most] for each in reversed(one.revisions))
        found.append(["evidence", id_, story.card_of_evidence.get(id_, ""), values])
    for id_, passage in last.passages.items():
        found.append(
            [
                "passage",
                id_,
                story.first_passages[id_][0] if id_ in story.first_passages else "",
                shown(passage.title)[:most],
            ]
        )
    return found


def _words(last: State, card: Card, most: int) -> tuple[str, str, str]:
    """Id, card and words of a card: query and last summary, or the answer."""
    node = last.nodes.get(card.key) if card.kind == "node" else None
    if node is not None:
        return card.key, card.id, f"{shown(node.query)[:most]} / {shown(node.summary)[:most]}"
    if card.kind == "search":
        query = next((one.query for one in last.searches if str(one.number) == card.key), "")
        return card.key, card.id, f"s{card.key} search {card.key} {shown(query)[:most]}"
    text = last.answer.text if card.kind == "answer" and last.answer else card.note
    return ("answer" if card.kind == "answer" else card.key), card.id, shown(text)[:most]
