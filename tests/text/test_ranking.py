"""The top-k evidence."""

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from retree_core.text import normalise, top_k


@dataclass(frozen=True)
class Fact:
    id: str
    text: str
    order: int = 0


BRIDGE = Fact("e1", "The bridge opened in 1934", 1)
TOWER = Fact("e2", "The tower is 98 metres tall", 2)
LAKE = Fact("e3", "The lake lies near the bridge", 3)


def test_the_item_with_most_shared_tokens_comes_first() -> None:
    assert top_k(["when was the bridge opened"], [TOWER, LAKE, BRIDGE], 2) == (BRIDGE, LAKE)


def test_all_query_texts_count_together() -> None:
    assert top_k(["bridge", "tall tower"], [BRIDGE, TOWER], 1) == (TOWER,)


def test_ties_go_to_the_newer_then_to_the_smaller_id() -> None:
    older, newer, twin = Fact("e9", "a", 1), Fact("e8", "b", 2), Fact("e7", "c", 2)
    assert top_k(["nothing shared"], [older, newer, twin], 3) == (twin, newer, older)


def test_no_two_items_have_the_same_normalised_text() -> None:
    again = [Fact(f"e{n}", text, n) for n, text in enumerate(["Bridge opened.", "bridge opened", "BRIDGE  opened!"])]
    assert top_k(["bridge"], [*again, TOWER], 5) == (again[2], TOWER)


def test_facts_without_spaces_are_found() -> None:
    fact = Fact("e1", "東京の人口は約1400万人")
    assert top_k(["東京の人口"], [TOWER, fact], 1) == (fact,)


def test_none_are_asked_for() -> None:
    assert top_k(["bridge"], [BRIDGE], 0) == ()
    assert top_k([], [], 5) == ()


@given(st.lists(st.tuples(st.text(), st.integers(0, 3)), max_size=8), st.permutations(range(8)))
def test_the_order_in_which_items_come_does_not_count(rows: list[tuple[str, int]], shuffle: list[int]) -> None:
    facts = [Fact(f"e{n}", text, order) for n, (text, order) in enumerate(rows)]
    shuffled = [facts[n] for n in shuffle if n < len(facts)]
    chosen = top_k(["some query"], facts, 5)
    assert chosen == top_k(["some query"], shuffled, 5)
    assert len({normalise(fact.text) for fact in chosen}) == len(chosen)
