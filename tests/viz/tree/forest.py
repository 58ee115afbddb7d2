"""Large made-up runs, to measure and to fold."""

from __future__ import annotations

from retree_core import events as ev
from retree_core.memory import Passage, Source


def long_run(nodes: int, *, prune_every: int = 40, shown: int = 0) -> list[ev.Event]:
    """A run of `nodes` nodes with three facts each; every so often a repair goes a dozen nodes up and prunes them.

    The policy contexts show the first facts of the last `shown` nodes.
    """
    events: list[ev.Event] = [ev.RunStarted(question="Which of the many ways leads on?", agent="retree")]
    line = ["root"]
    facts: dict[str, str] = {}
    made = fact = search = 0
    while made < nodes:
        search += 1
        page = Passage(
            id=f"p{search}", title=f"Page {search}", text=f"Fact {fact} and more.", url=f"https://p.example/{search}"
        )
        new = [
            ev.NewFact(
                id=f"e{fact + n}",
                text=f"The value of item {fact + n} is {search}.",
                source=Source(passage=page.id, quote="Fact"),
            )
            for n in range(1, 4)
        ]
        fact += 3
        events += [
            ev.ContextBuilt(
                node=line[-1],
                evidence=tuple(facts[one] for one in line[-shown:] if shown and one in facts),
                characters=500,
            ),
            ev.SearchChosen(
                search=search, query=f"question number {search} about the things in between", origin="policy"
            ),
            ev.PassagesRetrieved(search=search, passages=(page,)),
            ev.FactsExtracted(search=search, facts=tuple(new)),
        ]
        if made and search % prune_every == 0 and len(line) > 13:
            target = line[-12]
            events += repair(facts[target], new[0].id, target, tuple(line[-11:]))
            line = line[:-11]
            continue
        made += 1
        node = f"n{made}"
        ids = tuple(one.id for one in new)
        facts[node] = ids[0]
        events += [
            ev.NodeAdded(node=node, parent=line[-1], search=search, query=f"question number {search}", evidence=ids),
            ev.SummaryWritten(
                node=node, text=f"So far {made} things are known, and one more is missing.", origin="model"
            ),
        ]
        line.append(node)
    return events


def repair(old: str, new: str, node: str, pruned: tuple[str, ...]) -> list[ev.Event]:
    """The events of a confirmed repair."""
    texts = {"old_text": "The value was one thing.", "new_text": "The value was another thing."}
    return [
        ev.ConflictProposed(old=old, new=new, reason="they differ"),
        ev.ConflictConfirmed(old=old, new=new, by="confirmation", reason="the newer source says why"),
        ev.EvidenceRepaired(evidence=old, node=node, revision=2, by=new, reason="so", **texts),
        ev.SummaryWritten(node=node, text="Written again.", origin="regenerated"),
        ev.NodesPruned(nodes=pruned, evidence=old),
        ev.SearchResumed(node=node),
    ]
