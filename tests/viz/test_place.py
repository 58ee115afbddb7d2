import pytest

from retree_viz.address_bar import from_query, to_query
from retree_viz.place import Place, moved


@pytest.mark.parametrize(
    "place",
    [
        Place(),
        Place(asking=True),
        Place(run="samples/a.jsonl"),
        Place(run="samples/a.jsonl", moment=7, selected="e3", tab="evidence"),
        Place(run="samples/a.jsonl", unit="call", speed="0.5", lanes="none"),
    ],
)
def test_an_address_leads_back_to_its_place(place: Place) -> None:
    assert from_query(to_query(place)) == place


@pytest.mark.parametrize("moment", ["", "-1", "1e3", "٣", "x", "9" * 40, "²"])
def test_odd_moments_are_left_out(moment: str) -> None:
    assert from_query({"run": "samples/a", "moment": moment}).moment is None


def test_moments_are_kept_within_the_run() -> None:
    assert Place(moment=999).at(57) == 57
    assert Place(moment=0).at(57) == 1
    assert Place(moment=4).at(0) == 0
    assert Place().at(57) == 57


def test_selecting_shows_the_tab_of_the_thing() -> None:
    place = Place(run="a")
    assert moved(place, "select:e3").tab == "evidence"
    assert moved(place, "select:n3").tab == "node"
    assert moved(place, "select:root").tab == "node"
    assert moved(place, "select:c1").tab == "why"
    assert moved(moved(place, "select:c1"), "select:c1").selected == ""
    assert moved(place, "select:").selected == ""


def test_the_last_moment_follows_a_run_that_grows() -> None:
    assert moved(Place(run="a", moment=3), "go:57", total=57).moment is None
    assert moved(Place(run="a"), "go:56", total=57).moment == 56


@pytest.mark.parametrize("wish", ["", "go:", "go:x", "tab:nope", "call:x", "what:ever", "select"])
def test_wishes_that_make_no_sense_break_nothing(wish: str) -> None:
    place = moved(Place(run="a", moment=3), wish)
    assert (place.run, place.moment) == ("a", 3)


def test_the_address_keeps_what_the_tree_shows() -> None:
    place = moved(Place(run="a"), "shown:later,passages")
    assert to_query(place) == {"run": "a", "hide": "pruned", "show": "passages"}
    assert from_query(to_query(place)) == place
    assert "hide" not in to_query(moved(place, "shown:pruned,later"))


def test_unit_speed_and_lanes_go_along_to_another_run() -> None:
    place = Place(run="a")
    for wish in ("unit:search", "speed:5", "lanes:all", "speed:3", "unit:", "lanes:2", "open:b"):
        place = moved(place, wish)
    assert to_query(place) == {"run": "b", "unit": "search", "speed": "5", "lanes": "all"}
    there = moved(moved(place, "gallery:"), "open:c")
    assert to_query(there) == {"run": "c", "unit": "search", "speed": "5", "lanes": "all"}


def test_a_pair_ends_with_the_selection() -> None:
    pair = moved(moved(Place(run="a"), "select:e1"), "pair:e7")
    assert moved(pair, "select:e1").pair == "e7"
    assert (moved(pair, "select:").pair, moved(pair, "select:e3").pair) == ("", "")
