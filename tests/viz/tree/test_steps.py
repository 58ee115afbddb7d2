"""The tree of an imported record: a chain of cards, one a step, and panels that do not stumble over it."""

import json
from itertools import pairwise

import pytest

from retree_core.trace.reader import parse_trace
from retree_viz.html import Html
from retree_viz.panels import bar, inspector
from retree_viz.place import TABS, Place
from retree_viz.run import Run
from retree_viz.tree.index import TreeIndex
from retree_viz.tree.view import tree_view
from retree_viz.words import plain, sentence

TALK = [
    {"role": "user", "content": "Who <b>?"},
    {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "look", "arguments": "{}"}}]},
    {"role": "tool", "content": "Bob."},
    {"role": "assistant", "content": "Bob."},
]


@pytest.fixture(scope="module")
def run():
    return Run(parse_trace(json.dumps(TALK).encode(), "talk.json"))


def cards(run, moment):
    view = tree_view(TreeIndex(run), moment)
    return {one["id"]: one["card"]["status"] for one in view["nodes"]}, view


def test_each_step_is_a_card_after_the_one_before(run):
    statuses, view = cards(run, 3)
    assert statuses == {
        "node:root": "active",
        "step:2": "active",
        "step:3": "current",
        "step:4": "later",
        "answer:1": "later",
    }
    ends = [(one["from"], one["to"]) for one in view["edges"]]
    chain = ["node:root", "step:2", "step:3", "step:4", "answer:1"]
    assert ends == list(pairwise(chain))
    tops = {one["card"]["y"] for one in view["nodes"]}
    assert tops == {0.0}
    assert view["captions"][0]["strong"] == "Imported"
    assert view["captions"][0]["text"] == "2 steps"


def test_before_its_first_step_the_question_is_the_current_card(run):
    assert cards(run, 1)[0]["node:root"] == "current"


def test_a_long_chain_is_folded_around_the_step_of_the_moment():
    talk = [{"role": "user", "content": f"{number}"} for number in range(900)]
    run = Run(parse_trace(json.dumps(talk).encode(), "long.json"))
    statuses, view = cards(run, 500)
    assert statuses["step:500"] == "current"
    assert len(statuses) < 120
    assert any(one["card"]["kind"] == "more" for one in view["nodes"])


def test_every_event_has_a_sentence_and_every_panel_shows_something(run):
    said = [plain(sentence(event, run.at(moment))) for moment, event in enumerate(run.events, 1)]
    assert said[1:3] == ["Step 1, assistant: look({}).", "Step 2, tool: Bob."]
    for moment in range(run.total + 1):
        for tab in TABS:
            assert isinstance(inspector.inspector(run, Place(run="runs/x", moment=moment, tab=tab)), Html)
    assert "3 steps" in bar.end_chip(run)


def test_an_imported_reply_is_not_held_against_a_schema(run):
    made = inspector.inspector(run, Place(run="runs/x", moment=2, tab="calls"))
    assert "look({})" in made
    assert "Does not validate" not in made
