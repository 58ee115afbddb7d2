"""What the browser needs to light the path of a claim, or all that rests on a fact, at once and by itself.

Sent once a run, not once a step. It holds edges, not closures: of each fact the searches it was in view of, of
each search what it brought; `assets/light.js` follows them as `retree_core.why.dependence` does.
"""

from __future__ import annotations

from typing import Any

from retree_core.state import State, citations
from retree_core.why.dependence import Dependence, Yield
from retree_viz.tree.chronicle import Chronicle
from retree_viz.tree.text import shown


def links(name: str, last: State, story: Chronicle, known: Dependence) -> dict[str, Any]:
    """The links of a run as plain JSON; `name` tells the browser which run they are of."""
    return {
        "run": shown(name),
        "cards": _cards(story),
        "views": {fact: seen for fact, seen in known.views.items() if fact in story.card_of_evidence},
        "yields": {str(search): _brought(brought) for search, brought in known.yields.items()},
        "heirs": known.heirs,
        "citing": known.citing,
        "claims": _claims(last),
        "passages": _passages(last),
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
    """Of each claim the facts it cites, each with the passages that it names now."""
    return {
        f"c{number}": [
            {"fact": one.evidence, "passages": list(dict.fromkeys(source.passage for source in one.sources))}
            for one in citations(last, claim)
            if one.evidence
        ]
        for number, claim in enumerate(last.answer.claims if last.answer else (), 1)
    }


def _passages(last: State) -> dict[str, list[str]]:
    """Of each passage the facts that name it."""
    passages: dict[str, list[str]] = {}
    for id_, one in last.evidence.items():
        for passage in dict.fromkeys(source.passage for each in one.revisions for source in each.sources):
            passages.setdefault(passage, []).append(id_)
    return passages
