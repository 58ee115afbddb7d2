"""What changes between the moments around one: followed step by step, it gives every view as it is made by itself."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from viz.story import story_trace, trace_of
from viz.tree.forest import long_run

from retree_core.trace import Trace
from retree_viz.run import Run
from retree_viz.tree.around import BLOCK, around, facet
from retree_viz.tree.folding import LIMIT
from retree_viz.tree.graph import TreeOptions
from retree_viz.tree.index import TreeIndex
from retree_viz.tree.view import tree_view


def drawn(view: dict[str, Any]) -> dict[str, Any]:
    """What the browser draws of a view: cards and lines in any order, a card known by its hash."""
    cards = {one["id"]: one["hash"] for one in view["nodes"]}
    lines = {one["id"]: one for one in view["edges"]}
    return json.loads(json.dumps({**view, "nodes": cards, "edges": lines}))  # type: ignore[no-any-return]


def changed(view: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    """A view that is changed as the browser does it."""
    nodes, edges = ({one["id"]: one for one in (*view[part], *change[part])} for part in ("nodes", "edges"))
    for id_ in change["gone"]:
        nodes.pop(id_, None)
        edges.pop(id_, None)
    return {
        **view,
        **{k: v for k, v in change.items() if k != "gone"},
        "nodes": [*nodes.values()],
        "edges": [*edges.values()],
    }


LONG = trace_of(long_run(LIMIT + 40, shown=3))


@pytest.mark.parametrize(
    ("trace", "moments", "options"),
    [
        (story_trace(), range(57), TreeOptions(show_pruned=False, selected="e3")),
        (story_trace(), range(57), TreeOptions(show_passages=True, claim=1)),
        (LONG, range(2000, 2300, BLOCK), TreeOptions(selected="n30")),  # folded: cards come and go
    ],
)
def test_changes_lead_from_every_moment_to_the_next_and_back(
    trace: Trace, moments: range, options: TreeOptions
) -> None:
    index = TreeIndex(Run(trace))
    for moment in moments:
        block = json.loads(around(index, moment, options)[moment // BLOCK % 2])
        assert block["of"] == facet(index, options)
        views = [tree_view(index, block["first"] + n, options) for n in range(len(block["on"]) + 1)]
        for number, (before, after) in enumerate(pairwise(views)):
            assert drawn(changed(before, block["on"][number])) == drawn(after)
            assert drawn(changed(after, block["back"][number])) == drawn(before)


def test_the_browser_knows_half_a_block_and_more_on_both_sides() -> None:
    index = TreeIndex(Run(story_trace()))
    known = {moment: around(index, moment, TreeOptions()) for moment in range(58)}
    firsts = {moment: sorted(json.loads(one)["first"] for one in blocks.values()) for moment, blocks in known.items()}
    assert {moment: firsts[moment] for moment in (0, 3, 4, 11, 12, 30, 57)} == {
        0: [0],
        3: [0],
        4: [0, 8],
        11: [0, 8],
        12: [8, 16],
        30: [24, 32],
        57: [48, 56],
    }


def test_a_step_in_a_block_sends_what_was_sent() -> None:
    index = TreeIndex(Run(story_trace()))
    assert around(index, 13, TreeOptions()) == around(index, 14, TreeOptions(show_later=False))


def test_blocks_of_another_selection_or_another_state_of_a_run_are_not_taken_for_these() -> None:
    index, again = TreeIndex(Run(story_trace())), TreeIndex(Run(story_trace()))
    names = [
        facet(index, TreeOptions()),
        facet(index, TreeOptions(selected="e3")),
        facet(index, TreeOptions(claim=1)),
        facet(index, TreeOptions(opened=("node:n2",))),
        facet(again, TreeOptions()),
    ]
    assert len(set(names)) == len(names)
    assert facet(index, TreeOptions(show_pruned=False, show_passages=True)) == names[0]


def test_a_run_without_events_has_nothing_around() -> None:
    assert around(TreeIndex(Run(trace_of([]))), 0, TreeOptions()) == {}
