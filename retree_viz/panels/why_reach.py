"""What a repair took with it: where it went and why there, what was pruned, and the price of pruning all of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from retree_core.compare import given_up_premises
from retree_core.text import count
from retree_core.why import Conflict, Cost, Introducer, PathNode, PrunedFact, Repair
from retree_viz.html import Child, Html, join, tag, visible
from retree_viz.panels.icons import icon
from retree_viz.panels.pieces import chip, cut, section, table
from retree_viz.panels.ways import at
from retree_viz.panels.why_pieces import fact_list, name, tokens_words, told
from retree_viz.run import Run
from retree_viz.words import listed, markup

MOST_NODES = 40
"""Nodes of a table; the rest is counted."""
MOST_OPEN = 6
"""Pruned facts whose texts need no click."""


def introducers(run: Run, conflict: Conflict) -> Html | None:
    """The nodes of the active path: which one holds the fact, and so is where the repair goes; None without a tree."""
    if not run.has_tree:
        return None
    found = conflict.introducer
    if found is None:
        words = ("No node holds ", conflict.old.id, ", so that there is no place for a repair.")
        return section("Candidate introducers", tag("p", *words, cls="mut"))
    goes = "The repair goes to " if conflict.repair else "A repair would have gone to "
    reason = tag("p", goes, name(run, found.node), f": {found.reason}.", cls="introducer")
    if not found.path:
        return section("Candidate introducers", reason)
    nodes = _path(run, found, conflict.old.id)
    return section("Candidate introducers", nodes, reason, aside=f"active path, {count(len(found.path), 'node')}")


def _path(run: Run, found: Introducer, fact: str) -> Html:
    rows = (_candidate(run, one, found.node) for one in found.path[:MOST_NODES])
    return table(("Node", "Its search", f"Holds {visible(fact)[:40]}"), rows, "parts path")


def _candidate(run: Run, one: PathNode, chosen: str) -> Html:
    node = run.last.nodes.get(one.node)
    query = cut(node.query, 120) if node and node.search else tag("span", "the question", cls="mut")
    holds = (
        tag("span", icon("check", "s"), "yes", cls="v y")
        if one.introduced
        else tag(
            "span", icon("dash", "s"), count(len(one.evidence), "other fact") if one.evidence else "no facts", cls="v"
        )
    )
    return tag(
        "tr",
        tag("th", name(run, one.node), scope="row"),
        tag("td", query),
        tag("td", holds),
        cls="on" if one.node == chosen else "",
    )


def reach(run: Run, repair: Repair) -> Html:
    """The blast radius: counts, every pruned node with its facts and its cost, and what had no part in it."""
    claims = tuple(f"c{number}" for number in repair.claims)
    if not run.has_tree:
        return _in_place(run, repair, claims)
    figures = tag(
        "div",
        _figure(len(repair.pruned), "node pruned", "nodes pruned"),
        _figure(len(repair.lost), "fact pruned", "facts pruned"),
        _figure(len(claims), "claim rests on it", "claims rest on it", markup(listed(claims)) if claims else None),
        cls="blast",
    )
    return section(
        "Blast radius",
        figures,
        _because(run, repair),
        _answer(run, repair),
        _fallen(run, repair) if repair.pruned else None,
        _texts(run, repair),
        _price(run, repair),
        _spent("Spent below: ", repair.spent_below) if repair.pruned else None,
        _ahead(repair),
        _aside(run, repair),
        aside=at(repair.pruned_at) if repair.pruned_at else None,
    )


def _in_place(run: Run, repair: Repair, claims: tuple[str, ...]) -> Html:
    """What a replacement in a flat list left: nothing falls, whatever was found with the old value in view."""
    premises = given_up_premises(run.events, run.last)
    stale = [id_ for id_, one in premises.items() if one.id == repair.evidence and one.revision < repair.revision]
    words = (" was replaced in place (", at(repair.moment), "). All that was found with its old value in view stays.")
    left = [chip(run.last.evidence[id_], "never") for id_ in stale]
    figures = (
        _figure(len(stale), "fact was found with it", "facts were found with it"),
        _figure(len(claims), "claim rests on it", "claims rest on it", markup(listed(claims)) if claims else None),
    )
    return section(
        "What the replacement left",
        tag("div", *figures, cls="blast"),
        tag("p", name(run, repair.evidence), *words),
        tag("div", *left[:MOST_NODES], cls="bl") if left else None,
        _answer(run, repair),
    )


def _figure(number: int, one: str, many: str, more: Child = None) -> Html:
    return tag("span", tag("b", str(number), cls="num"), one if number == 1 else many, " " if more else None, more)


def _because(run: Run, repair: Repair) -> Html:
    """Which repair it was, and by what rule the rest fell."""
    node = name(run, repair.introducer.node)
    went_on = join(" Search went on at ", name(run, repair.resumed or ""), ".") if repair.resumed else None
    rule = (
        "All below it fell: what was found there may rest on the refuted value."
        if repair.pruned
        else "Nothing hung below it."
    )
    return tag(
        "p", name(run, repair.evidence), " was repaired at ", node, " (", at(repair.moment), f"). {rule}", went_on
    )


def _answer(run: Run, repair: Repair) -> Html | None:
    """What the answer of the run has to do with the repair."""
    return tag("p", told(run, repair.answer), cls="spent") if repair.answer else None


def _fallen(run: Run, repair: Repair) -> Html:
    rows = list(_nodes(run, repair))
    more = len(repair.pruned) - len(rows)
    rest = tag("tr", tag("td", f"{more:,} more nodes", colspan="4", cls="mut")) if more > 0 else None
    return table(("Node", "Its search", "Facts", "Tokens"), [*rows, rest], "parts fallen")


def _nodes(run: Run, repair: Repair) -> Iterator[Html]:
    for id_ in repair.pruned[:MOST_NODES]:
        node = run.last.nodes.get(id_)
        cost = run.ledger.cost_of([node.search]) if node else None
        tokens = f"{cost.prompt_tokens + cost.completion_tokens:,}" if cost and cost.calls > cost.uncounted else "-"
        yield tag(
            "tr",
            tag("th", name(run, id_), scope="row"),
            tag("td", cut(node.query, 120) if node else tag("span", "not in the record", cls="mut")),
            tag("td", tag("span", *_lost(run, repair, id_), cls="chips")),
            tag("td", tokens, cls="num"),
        )


def _lost(run: Run, repair: Repair, node: str) -> list[Html]:
    facts = ((one, run.last.evidence.get(one.fact.id)) for one in repair.lost if one.node == node)
    return [chip(fact, "never" if one.untouched else "") for one, fact in facts if fact]


def _texts(run: Run, repair: Repair) -> Html | None:
    """What the pruned facts said, folded where they are many."""
    if not repair.lost:
        return None
    facts = fact_list(run, run.at(repair.moment), (one.fact.id for one in repair.lost))
    head = tag("summary", "What the pruned facts say" if len(repair.lost) > 1 else "What the pruned fact says")
    return tag("details", head, facts, cls="more", open=len(repair.lost) <= MOST_OPEN)


def _price(run: Run, repair: Repair) -> Html | None:
    """The price of conservative pruning: what fell without having met the refuted fact."""
    if not repair.lost:
        return None
    free = tuple(one for one in repair.lost if one.untouched)
    lines = [
        (free, f" never had {repair.evidence} in the context that led to them: the price of pruning all.", "never"),
        (_of(repair, lambda one: one.shown), f" came of searches whose context showed {repair.evidence}.", ""),
        (
            _of(repair, lambda one: one.in_summary and not one.shown),
            " came of searches whose summary had its words.",
            "",
        ),
        (_of(repair, lambda one: one.context is None), " came of searches whose context is not in the record.", ""),
    ]
    shown = (
        tag("li", markup(listed(one.fact.id for one in facts)), words, cls=cls) for facts, words, cls in lines if facts
    )
    return tag("ul", *shown, cls="price")


def _of(repair: Repair, holds: Callable[[PrunedFact], bool]) -> tuple[PrunedFact, ...]:
    return tuple(one for one in repair.lost if holds(one))


def _spent(title: str, cost: Cost, more: Child = None) -> Html:
    words = tokens_words(cost.prompt_tokens, cost.completion_tokens, cost.calls, cost.seconds, cost.uncounted)
    return tag("p", tag("b", title), words if cost.calls else "the record holds no calls", more, cls="spent")


def _ahead(repair: Repair) -> Html | None:
    """What the summary took that the repair made useless."""
    if repair.discarded_at is None:
        return None
    return _spent("A summary written ahead, discarded: ", repair.spent_ahead, join(" (", at(repair.discarded_at), ")"))


def _aside(run: Run, repair: Repair) -> Html | None:
    if repair.kept_in:
        return tag("p", "The other new facts went into ", name(run, repair.kept_in), ".", cls="spent")
    lines = [
        tag("li", chip(run.last.evidence[one.id]), tag("span", cut(one.text, 300)))
        for one in repair.set_aside
        if one.id in run.last.evidence
    ]
    return tag("div", tag("h4", "Set aside: came with the repair"), tag("ul", *lines, cls="facts")) if lines else None
