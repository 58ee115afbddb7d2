"""Expansion: nodes, summaries, facts and where they were read (paper, sections 4.1 and 4.2)."""

import pytest
from worlds import (
    KORN,
    QUESTION,
    TARN,
    VELMORA,
    asking,
    calls_of,
    every,
    facts,
    finding,
    hit,
    kinds,
    only,
    prompt,
    run_scripted,
    state,
    summary,
)

from retree_core.events import (
    Answered,
    ContextBuilt,
    DuplicateFound,
    FactDropped,
    FactRebound,
    FactsExtracted,
    NewFact,
    NodeAdded,
    PassagesRetrieved,
    RunEnded,
    RunStarted,
    SearchChosen,
    StopChosen,
    SummaryWritten,
)
from retree_core.memory import Claim, Node, Passage, Source


def test_a_run_of_one_search_is_these_events():
    run = run_scripted(
        "What is the capital of Alvonia?",
        {"policy": asking(1, "e1")},
        [[hit("Alvonia is small. The capital of Alvonia is Velmora.", "Alvonia", url="https://a.example/1")]],
    )
    text = "Alvonia is small."
    assert run.events == (
        RunStarted(question="What is the capital of Alvonia?", agent="retree"),
        ContextBuilt(node="root", evidence=(), characters=len("Summary: (nothing yet)\nEvidence:\n(none yet)")),
        SearchChosen(search=1, query="query 1", origin="policy"),
        PassagesRetrieved(
            search=1,
            passages=(
                Passage(
                    id="p1",
                    title="Alvonia",
                    text="Alvonia is small. The capital of Alvonia is Velmora.",
                    url="https://a.example/1",
                ),
            ),
        ),
        FactsExtracted(
            search=1, facts=(NewFact(id="e1", text=text, source=Source(passage="p1", quote=text, start=0, end=17)),)
        ),
        NodeAdded(node="n1", parent="root", search=1, query="query 1", evidence=("e1",)),
        SummaryWritten(node="n1", text=text, origin="model"),
        ContextBuilt(node="n1", evidence=("e1",), characters=len(f"Summary: {text}\nEvidence:\n[e1] {text}")),
        StopChosen(evidence=("e1",)),
        Answered(text=text, claims=(Claim(text=text, cites=("e1",)),), shown=("e1",)),
        RunEnded(status="answered"),
    )


def test_each_compatible_search_adds_a_child_of_the_last_node():
    run = run_scripted(QUESTION, {"policy": asking(3, "e3")}, finding(VELMORA, KORN, TARN))
    grown = state(run)
    assert [(one.id, one.parent, one.evidence) for one in grown.nodes.values()] == [
        ("root", None, ()),
        ("n1", "root", ("e1",)),
        ("n2", "n1", ("e2",)),
        ("n3", "n2", ("e3",)),
    ]
    assert grown.current == "n3"


def test_a_summary_is_written_from_the_former_one_and_the_new_facts():
    run = run_scripted(QUESTION, {"policy": asking(2, "e2")}, finding(VELMORA, KORN))
    second = prompt(calls_of(run, "summarise")[1])
    assert second.endswith(f"Former summary\n{VELMORA}\n\nNew facts\n[e2] {KORN}")


def test_a_summary_is_cut_to_140_words_at_a_word():
    words = " ".join(f"word{number}" for number in range(300))
    run = run_scripted(QUESTION, {"policy": asking(1, "e1"), "summarise": [summary(words)]}, finding(VELMORA))
    written = only(run, SummaryWritten)
    assert (written.text, written.cut) == (" ".join(words.split()[:140]), True)


def test_a_summary_without_spaces_is_bounded_in_characters_too():
    unspaced = "".join(chr(0x4E00 + number) for number in range(2000))
    run = run_scripted(QUESTION, {"policy": asking(1, "e1"), "summarise": [summary(unspaced)]}, finding(VELMORA))
    assert only(run, SummaryWritten).text == unspaced[: 8 * 140]


def test_a_sentence_with_a_value_that_nothing_shown_holds_is_left_out_of_a_summary():
    said = f"{VELMORA} Its mayor since 1990 is Anton Breuk. Still missing: where the mayor was born."
    run = run_scripted(QUESTION, {"policy": asking(1, "e1"), "summarise": [summary(said)]}, finding(VELMORA))
    assert only(run, SummaryWritten) == SummaryWritten(
        node="n1",
        text=f"{VELMORA} Still missing: where the mayor was born.",
        origin="model",
        invented=("Its mayor since 1990 is Anton Breuk.",),
    )


@pytest.mark.parametrize("blank", ["", "  \n "])
def test_an_empty_summary_keeps_the_parents(blank):
    script = {"policy": asking(2, "e2"), "summarise": [summary("The capital is Velmora."), summary(blank)]}
    run = run_scripted(QUESTION, script, finding(VELMORA, KORN))
    assert every(run, SummaryWritten)[1] == SummaryWritten(node="n2", text="The capital is Velmora.", origin="kept")


def test_at_most_six_facts_are_kept_the_first_ones():
    names = ["Velmora", "Dresk", "Tarn", "Sorrel", "Pell", "Quist", "Rusk", "Ulm", "Vint"]
    towns = [f"{name} is a town." for name in names]
    script = {"policy": asking(1, "e1"), "extract": [facts(*((1, one) for one in towns))]}
    run = run_scripted(QUESTION, script, [[hit(" ".join(towns))]])
    assert [one.text for one in only(run, FactsExtracted).facts] == towns[:6]
    assert [(one.text, one.cause) for one in every(run, FactDropped)] == [(one, "over_limit") for one in towns[6:]]


@pytest.mark.parametrize(("index", "bound"), [(1, "p1"), ("2", "p2"), (3, "p3"), (1.0, "p1")])
def test_a_fact_is_bound_by_passage_index_from_1(index, bound):
    page = "Velmora is a town."
    script = {"policy": asking(1, "e1"), "extract": [{"facts": [{"passage": index, "quote": page, "fact": page}]}]}
    run = run_scripted(QUESTION, script, [[hit(f"{page} {number}") for number in ("One.", "Two.", "Three.")]])
    assert only(run, FactsExtracted).facts[0].source.passage == bound


@pytest.mark.parametrize("index", [0, 4, -1, None, True, 1.5, "two", [1]])
def test_a_fact_with_no_such_passage_is_dropped_and_never_bound_to_another(index):
    script = {
        "policy": asking(1, "e1"),
        "extract": [
            {
                "facts": [
                    {"passage": index, "quote": KORN, "fact": KORN},
                    {"passage": 1, "quote": VELMORA, "fact": VELMORA},
                ]
            }
        ],
    }
    run = run_scripted(QUESTION, script, [[hit(VELMORA), hit(KORN), hit(TARN)]])
    assert (only(run, FactDropped).text, only(run, FactDropped).cause) == (KORN, "unbound")
    assert [one.text for one in only(run, FactsExtracted).facts] == [VELMORA]


def test_facts_in_odd_shapes_are_taken_or_counted():
    odd = [{"text": VELMORA, "passage": 1}, "Tarn is near.", {"txt": "C"}, None, 7, {"fact": KORN, "passage": "1"}]
    script = {"policy": asking(1, "e1"), "extract": [{"facts": odd}]}
    run = run_scripted(QUESTION, script, [[hit(f"{VELMORA} {KORN}")]])
    assert [one.text for one in only(run, FactsExtracted).facts] == [VELMORA, KORN]
    assert [one.cause for one in every(run, FactDropped)] == ["unbound", "malformed", "malformed", "malformed"]


def test_facts_that_are_no_list_are_asked_for_again():
    script = {"policy": asking(1, "e1"), "extract": [{"facts": "none"}, facts((1, VELMORA))]}
    run = run_scripted(QUESTION, script, finding(VELMORA))
    assert kinds(run)[4:6] == ["reply_rejected", "facts_extracted"]


def test_an_empty_list_of_facts_is_a_good_answer_and_grows_no_node():
    script = {"policy": asking(2, "e1"), "extract": [facts(), facts((1, VELMORA))]}
    run = run_scripted(QUESTION, script, finding("Nothing of use.", VELMORA))
    assert [one.node for one in every(run, NodeAdded)] == ["n1"]
    assert 'The search for "query 1" brought nothing new.' in prompt(calls_of(run, "policy")[1])


def test_a_fact_is_rebound_to_the_passage_that_holds_its_values():
    script = {"policy": asking(1, "e1"), "extract": [facts((1, KORN))]}
    run = run_scripted(QUESTION, script, [[hit("Velmora lies on the Ost."), hit(f"News. {KORN}")]])
    assert only(run, FactRebound) == FactRebound(text=KORN, named="p1", passage="p2", missing=("Ilse Korn",))
    assert only(run, FactsExtracted).facts[0].source == Source(passage="p2", quote=KORN, start=6, end=6 + len(KORN))


def test_a_fact_whose_values_no_passage_holds_is_dropped():
    script = {"policy": asking(1, "e1"), "extract": [facts((1, "The mayor of Velmora is Anton Breuk."), (1, VELMORA))]}
    run = run_scripted(QUESTION, script, finding(VELMORA))
    assert only(run, FactDropped) == FactDropped(
        text="The mayor of Velmora is Anton Breuk.", cause="unsupported", detail="in no passage: Anton Breuk"
    )


def test_a_quoted_span_is_located_in_the_passage_as_it_is_written_there():
    page = "Since 1950, the  CAPITAL of Alvonia is Velmora."
    script = {"policy": asking(1, "e1"), "extract": [facts((1, VELMORA, "the capital of alvonia is Velmora"))]}
    run = run_scripted(QUESTION, script, [[hit(page)]])
    source = only(run, FactsExtracted).facts[0].source
    assert page[source.start : source.end] == "the  CAPITAL of Alvonia is Velmora"


def test_a_quote_that_is_not_in_the_passage_gets_no_span():
    script = {"policy": asking(1, "e1"), "extract": [facts((1, VELMORA, "Alvonia is ruled from a big house"))]}
    run = run_scripted(QUESTION, script, finding(VELMORA))
    assert only(run, FactsExtracted).facts[0].source == Source(
        passage="p1", quote="Alvonia is ruled from a big house", start=None, end=None
    )


@pytest.mark.parametrize("again", [VELMORA, "the capital of Alvonia is  VELMORA"])
def test_a_restated_fact_lends_its_source_and_asks_no_judge(again):
    script = {"policy": asking(2, "e1"), "extract": [facts((1, VELMORA)), facts((1, again))]}
    run = run_scripted(QUESTION, script, finding(VELMORA, f"Atlas. {again}."))
    assert only(run, DuplicateFound) == DuplicateFound(fact="e2", of="e1")
    assert calls_of(run, "conflict") == []
    assert [one.passage for one in state(run).evidence["e1"].current.sources] == ["p1", "p2"]
    assert [one.node for one in every(run, NodeAdded)] == ["n1"]


def test_a_differently_formatted_value_is_a_duplicate():
    said = ("Lake Ost covers 1,234 km2.", "Lake Ost covers 1234 square kilometres.")
    run = run_scripted(QUESTION, {"policy": asking(2, "e1")}, finding(*said))
    assert only(run, DuplicateFound) == DuplicateFound(fact="e2", of="e1")


def test_two_facts_of_one_search_that_say_the_same_become_one():
    run = run_scripted(QUESTION, {"policy": asking(1, "e1")}, [[hit(f"{VELMORA} A."), hit(f"{VELMORA} B.")]])
    assert only(run, DuplicateFound) == DuplicateFound(fact="e2", of="e1")
    assert state(run).nodes["n1"] == Node(
        id="n1", parent="root", search=1, query="query 1", evidence=("e1",), summary=VELMORA, added_at=7
    )


def test_a_passage_seen_before_keeps_its_id_and_a_repeated_hit_is_left_out():
    finds = [[hit(VELMORA), hit(VELMORA, "Copy"), hit(KORN)], [hit(KORN), hit(TARN)]]
    run = run_scripted(QUESTION, {"policy": asking(2, "e1")}, finds)
    one, two = every(run, PassagesRetrieved)
    assert ([p.id for p in one.passages], one.duplicates) == (["p1", "p2"], 1)
    assert ([p.id for p in two.passages], two.duplicates) == (["p2", "p3"], 0)


def test_at_most_five_passages_are_kept_in_the_order_of_the_provider():
    towns = ["Velmora", "Dresk", "Tarn", "Sorrel", "Pell", "Quist", "Rusk"]
    run = run_scripted(QUESTION, {"policy": asking(1, "e1")}, [[hit(f"{town} is a town.") for town in towns]])
    assert [one.text for one in only(run, PassagesRetrieved).passages] == [f"{town} is a town." for town in towns[:5]]


def test_a_fact_is_cut_to_its_bound():
    long = "Velmora has " + ", ".join(f"{number} gates" for number in range(2, 90))
    script = {"policy": asking(1, "e1"), "extract": [facts((1, long, "Velmora"))]}
    run = run_scripted(QUESTION, script, [[hit(long)]])
    text = only(run, FactsExtracted).facts[0].text
    assert len(text) <= 240
    assert long.startswith(text)
