"""What the engine checked of each part, beside what the model said."""

from __future__ import annotations

from retree_core.judging.facts import FactPair
from retree_core.judging.guards import part_guards, text_guards
from retree_core.verdicts import GuardResult, Part, Parts
from retree_core.why.parts import CheckedPart, checked_parts


def judged(old: str, new: str, parts: Parts | None = None) -> dict[str, CheckedPart]:
    """The parts as they are told after the engine's own guards."""
    pair = FactPair(old=old, new=new, question="?", old_passage=old, new_passage=new)
    guards = (*text_guards(pair), *(part_guards(pair, parts) if parts else ()))
    return {one.name: one for one in checked_parts(parts, guards, old, new)}


def stated(old: str, new: str, *, entity: str = "", time: tuple[str, str] = ("", "")) -> Parts:
    same = Part(old=entity, new=entity, same=True)
    return Parts(
        entity=same,
        attribute=Part(old="the architect", new="the builder", same=True),
        scope=Part(old="", new="", same=True),
        time=Part(old=time[0], new=time[1], same=True),
        value=Part(old=old, new=new, same=False),
    )


def findings(found: dict[str, CheckedPart]) -> list[tuple[str, str, str]]:
    return [(one.name, one.finding, one.words) for one in found.values()]


def test_what_fits_is_said_and_what_cannot_be_compared_is_unknown():
    parts = stated("Ann Lee", "Bo Holt", entity="the mill")
    assert findings(judged("The mill was built by Ann Lee.", "The mill was built by Bo Holt.", parts)) == [
        ("entity", "fits", "same words"),
        ("attribute", "fits", "no other one"),
        ("scope", "unknown", "unknown, passes"),
        ("time", "unknown", "unknown, passes"),
        ("value", "fits", "differs, in its passage"),
    ]


def test_two_times_that_agree_were_compared():
    parts = stated("Ann Lee", "Bo Holt", entity="the mill", time=("1931", "1931"))
    found = judged("In 1931 Ann Lee built the mill.", "In 1931 Bo Holt built the mill.", parts)
    assert (found["time"].finding, found["time"].words) == ("fits", "same words")


def test_a_value_that_is_not_stated_is_unknown_and_not_different():
    for value in (("Ann Lee", "not stated"), ("", "Bo Holt")):
        found = judged("The mill was built by Ann Lee.", "The mill was built by Bo Holt.", stated(*value))
        assert (found["value"].finding, found["value"].words) == ("unknown", "unknown, passes")


def test_the_part_that_a_guard_objects_to_names_it():
    found = judged("Orm had 5,000 inhabitants in 1990.", "Orm had 6,100 inhabitants in 2020.", stated("5,000", "6,100"))
    assert (found["time"].finding, found["time"].words) == ("objects", "other_time objects")
    cue = judged("The capital is Velmora.", "The capital was formerly Dresk.")
    assert (cue["time"].finding, cue["scope"].finding) == ("objects", "unchecked")
    assert cue["value"].words == "in its passage"
    assert cue["attribute"].words == "not checked"
    assert cue["entity"].said is None


def test_nothing_is_made_up_where_nothing_was_recorded():
    assert checked_parts(None, (), "a", "b") == ()
    parts = stated("a", "b")
    assert {one.finding for one in checked_parts(parts, (), "a", "b")} == {"unchecked"}
    foreign = (GuardResult(name="same_scope", passed=False, detail="x"),)
    assert {one.words for one in checked_parts(parts, foreign, "a", "b")} == {"not checked"}
