"""Every guard, where it vetoes and where it must not."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retree_core.judging.answers import answered
from retree_core.judging.facts import FactPair
from retree_core.judging.guards import GUARDS, part_guards, text_guards
from retree_core.verdicts import Part, Parts

Sides = tuple[str, str]


@dataclass(frozen=True)
class Example:
    """A pair, the answers both facts give to one question, and whether the guard should let it through."""

    guard: str
    passes: bool
    old: str
    new: str
    value: Sides = ("", "")
    entity: Sides = ("", "")
    same_entity: bool = True
    passage: str = field(default="")


def part(sides: Sides, same: bool = True) -> Part:
    return Part(old=sides[0], new=sides[1], same=same)


def results(example: Example) -> dict[str, bool]:
    pair = FactPair(old=example.old, new=example.new, question="", old_passage="", new_passage=example.passage)
    parts = Parts(
        entity=part(example.entity, example.same_entity),
        attribute=part(("", "")),
        scope=part(("", "")),
        time=part(("", "")),
        value=part(example.value, same=False),
    )
    return {result.name: result.passed for result in (*text_guards(pair), *part_guards(pair, parts))}


VETOED, PASSED = False, True
EXAMPLES = [
    Example("not_only", VETOED, "Astrel is the capital.", "Astrel is not only the capital but a port."),
    Example("not_only", VETOED, "Dana Kowalski is the CEO.", "Dana Kowalski is no longer the CEO."),
    Example("not_only", PASSED, "Astrel is the capital.", "Astrel is not the capital."),
    Example("one_sided_cue", VETOED, "Tomas Reyle lives in Ghent.", "Tomas Reyle formerly lived in Antwerp."),
    Example("one_sided_cue", VETOED, "Dorne has 412,000 people.", "Metropolitan Dorne has 1.3 million people."),
    Example("one_sided_cue", VETOED, "The tunnel cost 65 million.", "The tunnel was planned to cost 40 million."),
    Example("one_sided_cue", PASSED, "Tomas Reyle lives in Ghent.", "Tomas Reyle lives in Antwerp."),
    Example("unrelated", VETOED, "Acme uses Postgres.", "Bolt runs on MySQL."),
    Example("unrelated", PASSED, "Acme uses Postgres.", "Acme runs on MySQL."),
    Example("value_not_in_passage", VETOED, "Opened in 1931.", "Opened in 1934.", passage="The hall opened in 1931."),
    Example("value_not_in_passage", PASSED, "Opened in 1931.", "Opened in 1934.", passage="Opened 5 May 1934."),
    Example("value_not_in_passage", PASSED, "Opened in 1931.", "Opened in 1934."),
    Example("values_equal", VETOED, "It is 1.2 km long.", "Its length is 1,200 m.", ("1.2 km", "1,200 m")),
    Example("values_equal", VETOED, "Signed 12 March 1990.", "Signed 1990-03-12.", ("12 March 1990", "1990-03-12")),
    Example("values_equal", VETOED, "It weighs 1,234 kg.", "It weighs 1.234 kg.", ("1,234 kg", "1.234 kg")),
    Example("values_equal", PASSED, "It is 100 m long.", "It is 1000 m long.", ("100 m", "1000 m")),
    Example("values_equal", PASSED, "Bats are blind.", "Bats are not blind.", ("yes", "no")),
    Example("values_equal", VETOED, "It is run by MSO.", "It is run by Marsh Sea Office.", ("MSO", "Marsh Sea Office")),
    Example(
        "values_equal", VETOED, "Jo Lee and Al Orr met.", "Al Orr met Jo Lee.", ("Jo Lee, Al Orr", "Al Orr, Jo Lee")
    ),
    Example("values_equal", VETOED, "It has XII bells.", "It has twelve bells.", ("XII", "twelve")),
    Example("values_equal", VETOED, "An annual fair.", "A fair every year.", ("annual", "every year")),
    Example("values_equal", PASSED, "Two towers.", "A single tower.", ("two towers", "a single tower")),
    Example("values_equal", PASSED, "Jo beat Al.", "Al beat Jo.", ("Jo Lee beat Al Orr", "Al Orr beat Jo Lee")),
    Example("values_equal", PASSED, "The Harl mill.", "The Harl pier.", ("the Harl mill", "the Harl pier")),
    Example("refinement", PASSED, "Two thirds of it.", "A third of it.", ("two thirds of it", "a third of it")),
    Example("refinement", PASSED, "Before 1212.", "After 1212.", ("before 1212", "after 1212")),
    Example("refinement", PASSED, "It is magnetic.", "It is non-magnetic.", ("magnetic", "non-magnetic")),
    Example("refinement", VETOED, "Born in Germany.", "Born in Lübeck.", ("Germany", "Lübeck")),
    Example("refinement", VETOED, "Found in 1819.", "Found in August 1819.", ("1819", "August 1819")),
    Example("refinement", VETOED, "A painter.", "A landscape painter.", ("a painter", "a landscape painter")),
    Example("refinement", VETOED, "Made 03/12/1990.", "Made 12/03/1990.", ("03/12/1990", "12/03/1990")),
    Example("refinement", PASSED, "Born in Rostock.", "Born in Lübeck.", ("Rostock", "Lübeck")),
    Example("said_by_both", VETOED, "Kim Yoo built it.", "Kim Yoo and Raj Patel built it.", ("Kim Yoo", "Raj Patel")),
    Example("said_by_both", PASSED, "Kim Yoo built it.", "Raj Patel built it.", ("Kim Yoo", "Raj Patel")),
    Example("contrast", VETOED, "The men's team came fourth.", "The women's team came first.", ("fourth", "first")),
    Example("contrast", VETOED, "In the novel he is in Leeds.", "In the film he is in Bath.", ("Leeds", "Bath")),
    Example("contrast", VETOED, "The Onda in Bath has 40 rooms.", "The Onda in York has 75 rooms.", ("40", "75")),
    Example("contrast", VETOED, "Before the fire it sat 900.", "After the fire it sat 640.", ("900", "640")),
    Example("contrast", PASSED, "The Onda in Bath has 40 rooms.", "The Onda in Bath has 64 rooms.", ("40", "64")),
    Example("contrast", PASSED, "It was made in Bath by Jo.", "It was made in York by Al.", ("Jo", "Al")),
    Example("contrast", PASSED, "Harl took up coins in 1911.", "Harl introduced coins in 1914.", ("1911", "1914")),
    Example("contrast", PASSED, "The poet Jo Lee lived in Bath.", "The nurse Jo Lee lived in Ulm.", ("Bath", "Ulm")),
    Example("contrast", PASSED, "The men's team came fourth.", "The men's team came first.", ("fourth", "first")),
    Example("other_attribute", VETOED, "Marta was born in Bari.", "Marta died in Turin.", ("Bari", "Turin")),
    Example("other_attribute", VETOED, "The bridge is 412 m long.", "The bridge is 18 m wide.", ("412 m", "18 m")),
    Example("other_attribute", PASSED, "Marta was born in Bari.", "Her birthplace is Turin.", ("Bari", "Turin")),
    Example("other_time", VETOED, "In 2010 it had 5,000 people.", "In 2020 it had 6,100.", ("5,000", "6,100")),
    Example("other_time", PASSED, "A fair every April.", "A fair every June.", ("April", "June")),
    Example("other_time", PASSED, "The bridge opened in 1931.", "The bridge opened in 1934.", ("1931", "1934")),
    Example("other_time", PASSED, "Tomas lives in Ghent.", "Tomas lives in Antwerp.", ("Ghent", "Antwerp")),
    Example("many_valued", VETOED, "Amina speaks French.", "Amina speaks German.", ("French", "German")),
    Example("many_valued", VETOED, "It was not built by Jo.", "Al Orr built it.", ("not Jo", "Al Orr")),
    Example("many_valued", PASSED, "It was painted in Bath by Jo.", "Al painted it.", ("Jo", "Al")),
    Example("many_valued", VETOED, "Kellan won the Quill.", "Kellan won the Laurel.", ("Quill", "Laurel")),
    Example("many_valued", PASSED, "She has two sisters.", "She has three sisters.", ("two", "three")),
    Example("many_valued", PASSED, "Kellan won the cup.", "Kellan never won the cup.", ("yes", "no")),
    Example("other_entity", VETOED, "Springfield, Ohio, has 58.", "Springfield, Texas, has 114.", ("58", "114")),
    Example("other_entity", VETOED, "Springfield, Ohio has 58.", "Springfield, Texas has 114.", ("58", "114")),
    Example("other_entity", PASSED, "In Harl, Jo owns 58.", "In Harl, Al owns 60 of them.", ("58", "60")),
    Example("other_entity", VETOED, "Jo Smith (actor) is in Leeds.", "Jo Smith (judge) is in Bath.", ("Leeds", "Bath")),
    Example("other_entity", VETOED, "Jo Lee, the actor, is in Ulm.", "Jo Lee, the judge, is in Bath.", ("Ulm", "Bath")),
    Example("other_entity", VETOED, "Henry IV reigned 13 years.", "Henry V reigned nine years.", ("13", "nine")),
    Example("other_entity", VETOED, "Acme is in Oslo.", "Bolt is in Rome.", ("Oslo", "Rome"), ("Acme", "Bolt"), False),
    Example("other_entity", PASSED, "Ruth Amsel built it.", "Piet Bos built it.", ("Ruth Amsel", "Piet Bos")),
    Example("other_entity", PASSED, "Harl, Wales, has a mill.", "Harl, Kent, has a mill.", ("Wales", "Kent")),
]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: f"{one.guard}-{'passes' if one.passes else 'vetoes'}")
def test_a_guard_vetoes_what_it_names_and_nothing_else(example: Example) -> None:
    assert results(example)[example.guard] is example.passes


def test_every_guard_of_the_legend_has_examples_both_ways() -> None:
    for passes in (VETOED, PASSED):
        assert {example.guard for example in EXAMPLES if example.passes is passes} == set(GUARDS)


def test_every_result_names_a_guard_and_says_why_in_a_sentence() -> None:
    pair = FactPair(old="It opened in 1931.", new="It opened in 1934.", question="", old_passage="", new_passage="")
    empty = part(("", ""))
    parts = Parts(entity=empty, attribute=empty, scope=empty, time=empty, value=part(("1931", "1934"), same=False))
    for result in (*text_guards(pair), *part_guards(pair, parts)):
        assert result.name in GUARDS
        assert result.detail.endswith(".")


@pytest.mark.parametrize(
    ("old", "new", "told"), [("1931", "1934", True), ("1931", "not stated", False), ("", "x", False)]
)
def test_a_confirmation_has_to_answer_for_both_facts(old: str, new: str, told: bool) -> None:
    empty = part(("", ""))
    assert answered(Parts(entity=empty, attribute=empty, scope=empty, time=empty, value=part((old, new)))) is told


@given(st.text(max_size=60), st.text(max_size=60), st.text(max_size=20), st.text(max_size=20))
def test_no_guard_ever_fails(old: str, new: str, first: str, second: str) -> None:
    outcome = results(Example("", True, old, new, (first, second), (first, second), same_entity=False, passage=new))
    assert set(outcome) <= set(GUARDS)
