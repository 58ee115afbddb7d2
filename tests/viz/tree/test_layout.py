"""Where cards go, and which cards of a large tree are drawn."""

from __future__ import annotations

import time
from itertools import pairwise

from viz.story import trace_of
from viz.tree.forest import long_run

from retree_viz.run import Run
from retree_viz.tree.folding import LIMIT
from retree_viz.tree.graph import TreeOptions
from retree_viz.tree.index import TreeIndex
from retree_viz.tree.layout import ROW_GAP, Box, layout
from retree_viz.tree.view import tree_view


def box(id_: str, parent: str | None = None, *, below: bool = False, height: float = 100) -> Box:
    return Box(id=id_, parent=parent, width=150, height=height, below=below)


def test_what_goes_on_is_on_one_line_and_repairs_start_rows_below() -> None:
    spots = layout(
        [box("a"), box("b", "a"), box("x", "b", below=True), box("y", "x"), box("c", "b"), box("z", "a", below=True)]
    )
    assert spots["a"].y == spots["b"].y == spots["c"].y == 0
    assert spots["x"].y == spots["y"].y == 100 + ROW_GAP
    assert spots["b"].x < spots["x"].x < spots["y"].x
    assert spots["z"].y == 2 * (100 + ROW_GAP)
    assert [spots[one].hangs for one in "abxyz"] == ["top", "after", "below", "after", "below"]


def test_cards_never_overlap() -> None:
    index = TreeIndex(Run(trace_of(long_run(300, prune_every=20))))
    for passages in (False, True):
        spots = index.spots(index.whole, passages=passages)
        cards = [(spot, index.width(index.story.cards[id_]), index.heights[id_]) for id_, spot in spots.items()]
        rows = sorted((spot.y, spot.x, wide, high) for spot, wide, high in cards)
        for place, (y, x, wide, _) in enumerate(rows):
            for other_y, other_x, other_wide, other_high in rows[:place]:
                apart = other_y + other_high <= y or other_x + other_wide <= x or x + wide <= other_x
                assert apart


def test_a_chain_of_thousands_is_no_recursion() -> None:
    chain = [box("0"), *(box(str(one), str(one - 1)) for one in range(1, 5000))]
    spots = layout(chain)
    assert all(spots[a.id].x < spots[b.id].x for a, b in pairwise(chain))


def test_large_trees_fold_with_honest_counts() -> None:
    events = long_run(LIMIT + 300)
    index = TreeIndex(Run(trace_of(events)))
    view = tree_view(index, len(events))
    cards = [node for node in view["nodes"] if node["card"]["kind"] not in ("more", "passage")]
    stubs = [node for node in view["nodes"] if node["card"]["kind"] == "more"]
    assert len(cards) + sum(int(node["card"]["label"][1:]) for node in stubs) == index.total["cards"]
    assert "node:root" in {node["id"] for node in cards}
    assert f"node:{index.last.current}" in {node["id"] for node in cards}


def test_opening_a_stub_shows_what_is_behind_it() -> None:
    events = long_run(LIMIT + 300)
    index = TreeIndex(Run(trace_of(events)))
    before = {node["id"] for node in tree_view(index, 50)["nodes"]}
    stub = next(one for one in before if one.startswith("more:"))
    after = {node["id"] for node in tree_view(index, 50, TreeOptions(opened=(stub.removeprefix("more:"),)))["nodes"]}
    assert len(after - before) >= 50


def test_a_selected_card_of_a_large_tree_is_drawn() -> None:
    events = long_run(LIMIT + 300)
    index = TreeIndex(Run(trace_of(events)))
    view = tree_view(index, len(events), TreeOptions(selected="e301"))
    assert view["selected"]["card"] in {node["id"] for node in view["nodes"]}


def test_a_step_in_a_large_tree_is_quick() -> None:
    events = long_run(1000)
    index = TreeIndex(Run(trace_of(events)))
    tree_view(index, 3000)
    took = []
    for now in range(3001, 3021):
        start = time.process_time()
        tree_view(index, now)
        took.append(time.process_time() - start)
    assert sorted(took)[len(took) // 2] < 0.03  # processor time: the machine may be busy
