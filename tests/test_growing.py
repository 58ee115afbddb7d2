"""A mapping that grows: the same as dicts copied at every change, whichever moment goes on."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retree_core.growing import Growing, put

PUTS = st.lists(st.tuples(st.integers(0, 400), st.integers(0, 90).map(str)), max_size=200)
"""(which mapping made so far goes on, key)."""


@given(PUTS, st.integers(0, 150))
def test_every_mapping_made_is_the_dict_made_likewise(puts: list[tuple[int, str]], start: int) -> None:
    whole = {f"first {number}": number for number in range(start)}
    made: list[tuple[Growing[int], dict[str, int]]] = [(Growing(whole), whole)]
    for value, (from_, key) in enumerate(puts):
        mapping, copied = made[from_ % len(made)]
        made.append((mapping.put(key, value), {**copied, key: value}))
    for mapping, copied in made:
        assert list(mapping.items()) == list(copied.items())
        assert list(mapping) == list(copied)
        assert list(mapping.values()) == list(copied.values())
        assert (mapping, len(mapping)) == (copied, len(copied))
        for key in [*map(str, range(91)), *copied, "none"]:
            assert (key in mapping, mapping.get(key, -1)) == (key in copied, copied.get(key, -1))


def test_a_key_that_only_a_later_moment_has_is_missing() -> None:
    early = Growing({"a": 1})
    late = early.put("b", 2)
    with pytest.raises(KeyError, match="b"):
        early["b"]
    assert (early.get("b"), late["b"], repr(early)) == (None, 2, "Growing({'a': 1})")


def test_a_dict_is_taken_up() -> None:
    assert put({"a": 1}, "b", 2) == {"a": 1, "b": 2}


def test_threads_grow_one_mapping_each_its_own_way() -> None:
    first = Growing({"a": 0})

    def grown(name: int) -> dict[str, int]:
        keys = [f"{name % 2} {number}" for number in range(500)]
        return dict(reduce(lambda mapping, key: mapping.put(key, name), keys, first))

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(grown, range(4)))
    assert found == [{"a": 0} | {f"{name % 2} {number}": name for number in range(500)} for name in range(4)]
