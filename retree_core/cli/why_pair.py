"""Why no backtrack fired between two facts, as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from retree_core import why
from retree_core.cli.why_conflict import calls_words, conflict_lines, fact_lines
from retree_core.terminal import printable, short, wrapped
from retree_core.why.checks import Check, Place
from retree_core.why.meetings import Meeting, Sight


def absence_lines(story: why.Absence) -> Iterator[str]:
    """The reason, the check that decided it, both facts, and where they stood search by search."""
    yield f"{printable(story.old.id)} and {printable(story.new.id)}: {story.reason.replace('_', ' ')}"
    yield wrapped("".join(story.words), "  ")
    if story.instead:
        yield f"  ask about: {printable(' '.join(story.instead))}"
    for name, one in (("the earlier fact", story.old), ("the later fact", story.new)):
        yield name
        yield from (f"  {line}" for line in fact_lines(one))
    if story.check:
        yield from _check_lines(story, story.check)
    if story.meetings:
        yield f"search by search: {printable(story.old.id)} | {printable(story.new.id)}"
        yield from (f"  {_meeting(one)}" for one in story.meetings)
    if story.conflict:
        yield ""
        yield from conflict_lines(story.conflict)


def _check_lines(story: why.Absence, check: Check) -> Iterator[str]:
    how = "as the request has it" if check.recorded else "the record does not hold the request"
    yield f"the conflict check of search {check.search}, after event {check.moment} ({how})"
    if check.recorded:
        yield f"  stored facts shown: {printable(', '.join(check.stored))}"
    yield f"  new facts: {printable(', '.join(check.new))}"
    for old, new in story.named:
        yield f"  it named {printable(new)} against {printable(old)}"
    yield f"  {calls_words('asked in', check.calls)}"
    if story.places:
        scored = any(one.overlap is not None for one in story.places)
        by = "by words in common with the query and the new facts" if scored else "their scores were not recorded"
        yield f"  facts in force then, {by}"
        yield from (f"    {_place(one)}" for one in story.places)


def _place(one: Place) -> str:
    shown = "shown" if one.shown else f"as {one.same_as}" if one.same_as else "not shown"
    return printable(f"{one.id}: {shown}" if one.overlap is None else f"{one.id}: {one.overlap}, {shown}")


def _meeting(one: Meeting) -> str:
    return f'{one.search} "{short(one.query, 50)}": {_sight(one.old)} | {_sight(one.new)}'


def _sight(one: Sight) -> str:
    if not one.standing:
        return "not yet read"
    seen = ["the policy" if one.policy else "", f"the check as {one.check}" if one.check else ""]
    shown = " and ".join(filter(None, seen))
    return one.standing.replace("_", " ") + (f", shown to {shown}" if shown else "")
