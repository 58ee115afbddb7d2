"""What the list of runs shows, as part of the address."""

import pytest

from retree_viz.address_bar import WISHED, WRITTEN, from_query, read, to_query
from retree_viz.place import Place, moved
from retree_viz.results.choice import EVERYTHING, Choice, changed

AT = Place(results="runs/out")


@pytest.mark.parametrize(
    "choice",
    [
        EVERYTHING,
        Choice(text="Velmora", data_set="frames", agent="retree", outcome="wrong", only=("repair", "stale")),
        Choice(versus=("retree", "flat"), cell="10", sort="tokens", down=True, page=3),
        Choice(sort="question", row="runs/out/runs/retree/q1.jsonl", table="citations", figure="frames"),
    ],
)
def test_an_address_leads_back_to_a_list(choice: Choice) -> None:
    for place in (Place(results="runs/out", choice=choice), Place(run="runs/a", results="runs/out", choice=choice)):
        assert from_query(to_query(place)) == place


def test_a_run_keeps_the_way_back_to_its_row() -> None:
    opened = moved(moved(AT, "list:sort=tokens"), "result:runs/out/runs/retree/q1.jsonl")
    assert opened.run == "runs/out/runs/retree/q1.jsonl"
    back = moved(moved(opened, "select:e1"), "results:")
    assert back == Place(
        results="runs/out", choice=Choice(sort="tokens", down=True, row="runs/out/runs/retree/q1.jsonl")
    )


@pytest.mark.parametrize(
    ("wishes", "choice"),
    [
        (["sort=tokens", "sort=tokens"], Choice(sort="tokens")),
        (["sort=question"], Choice(sort="question")),
        (["page=3", "find=Ann"], Choice(text="Ann")),
        (["page=3", "table=about"], Choice(page=2, table="about")),
        (["only=stale", "only=repair"], Choice(only=("repair", "stale"))),
        (["only=stale", "only=stale"], EVERYTHING),
        (["cell=retree,flat,10"], Choice(versus=("retree", "flat"), cell="10")),
        (["cell=retree,flat,10", "cell=retree,flat,10"], Choice(versus=("retree", "flat"))),
        (["bar=frames"], Choice(data_set="frames", agent="retree", only=("repair",))),
        (["pick=a", "pick=b", "pick=c"], Choice(picked=("b", "c"))),
        (["pick=a", "pick=a"], EVERYTHING),
        (["find=x", "outcome=error", "sort=set", "clear="], Choice(sort="set")),
    ],
)
def test_wishes_change_the_list(wishes: list[str], choice: Choice) -> None:
    found = EVERYTHING
    for wish in wishes:
        found = changed(found, wish)
    assert found == choice


@pytest.mark.parametrize(
    "wish",
    ["", "sort=colour", "only=all", "outcome=maybe", "page=-1", "page=x", "page=²", "what=ever", "cell=10,10,12"],
)
def test_wishes_that_make_no_sense_change_nothing(wish: str) -> None:
    assert changed(EVERYTHING, wish) == EVERYTHING


@pytest.mark.parametrize(
    "query", [{"sort": "-"}, {"sort": "-x"}, {"part": "0"}, {"part": "9" * 99}, {"versus": "flat,flat"}, {"cell": "2"}]
)
def test_what_makes_no_sense_in_an_address_is_left_out(query: dict[str, str]) -> None:
    assert from_query({"results": "runs/out", **query}) == AT


def test_the_address_bar_counts_where_the_user_went_back_in_the_browser() -> None:
    row = Choice(row="runs/out/runs/retree/q1.jsonl")
    run = Place(run="runs/out/runs/retree/q1.jsonl", results="runs/out", choice=row)
    session = {"place": run, WRITTEN: to_query(run)}
    assert read(session, to_query(run)) == run
    assert read({**session, WISHED: True}, to_query(AT)) == run, "a click that the browser's address lags behind"
    assert read(session, to_query(AT)) == Place(results="runs/out", choice=row), "the row that was left is chosen"
    assert read({**session, "place": run}, {}) == Place()
