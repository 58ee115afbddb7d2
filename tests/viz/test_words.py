from dataclasses import fields, is_dataclass
from typing import Any

import pytest
from viz.story import story

from retree_core import events as ev
from retree_core.events import EVENT_KINDS
from retree_core.state import State, states
from retree_viz.timeline.data import MARKS
from retree_viz.words import Ref, listed, markup, plain, sentence


def test_each_event_of_the_story_has_one_sentence() -> None:
    for event, state in zip(story(), states(story()), strict=True):
        said = plain(sentence(event, state))
        assert said.endswith((".", "!", "?")), said
        assert "no words for" not in said


def test_a_prune_counts_its_facts() -> None:
    event, state = next(one for one in zip(story(), states(story()), strict=True) if one[0].kind == "nodes_pruned")
    assert plain(sentence(event, state)) == "n3, n4 and n5 pruned with 7 facts, because e3 above them was repaired."


def test_who_decided_is_named_and_a_sentence_begins_with_a_capital() -> None:
    pair = {"old": "e1", "new": "e5"}
    by_hand = ev.ConflictConfirmed(**pair, by="fork", reason="decided by the person who made this fork")
    agreed = ev.ConflictConfirmed(**pair, by="confirmation", reason="both cannot hold")
    rule = ev.ConflictRejected(**pair, by="limit", reason="another fact was repaired in this search")
    proposed = ev.ConflictProposed(**pair, reason="e5 names another town")
    assert [plain(sentence(one, State())) for one in (by_hand, agreed, rule, proposed)] == [
        "Conflict confirmed by the person who made the fork: e5 refutes e1.",
        "Conflict confirmed by the second model call (confirmation): e5 refutes e1. Both cannot hold.",
        "Conflict of e5 with e1 rejected by a rule: another fact was repaired in this search.",
        "Conflict proposed: e5 against e1. e5 names another town.",
    ]


@pytest.mark.parametrize("kind", EVENT_KINDS)
def test_every_kind_has_words_a_mark_and_an_icon(kind: str) -> None:
    event = _empty(EVENT_KINDS[kind])
    assert "no words for" not in plain(sentence(event, State()))
    assert kind in MARKS


def test_marks_are_one_letter_each() -> None:
    letters = [code for code, _ in MARKS.values()]
    assert len(set(letters)) == len(letters) == len(EVENT_KINDS)


def test_ids_are_buttons_and_all_else_is_text() -> None:
    said = markup((Ref('e1"><img src=x>'), " <b>"))
    assert said.count("<button") == 1
    assert "<img" not in said
    assert "&lt;b&gt;" in said


def test_long_lists_say_how_many_are_left_out() -> None:
    assert plain(listed(f"e{one}" for one in range(9))) == "e0, e1, e2, e3, e4, e5 and 3 more"


def _empty(type_: Any) -> Any:
    """An event with the least in every field."""
    assert is_dataclass(type_)
    values: dict[str, Any] = {}
    for one in fields(type_):
        kind = str(one.type)
        if one.name == "kind":
            continue
        values[one.name] = 1 if kind == "int" else () if kind.startswith("tuple") else None if "None" in kind else "x"
    return type_(**values)
