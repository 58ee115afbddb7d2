"""Why no backtrack fired between two facts: the one occasion there was for it, and what kept it from happening."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from retree_core import events as ev
from retree_core.llm.envelope import completion_of, read_json
from retree_core.memory import Evidence
from retree_core.replies import tidy_id
from retree_core.state import State, active_path, resolve
from retree_core.text import count
from retree_core.trace.records import CallRecord
from retree_core.why.checks import Check, Place, check_of, places
from retree_core.why.conflicts import conflicts
from retree_core.why.deciding import ending
from retree_core.why.ledger import Ledger, fact
from retree_core.why.meetings import Meeting, meetings
from retree_core.why.restating import restating_rule
from retree_core.why.stories import Conflict
from retree_core.why.values import Fact, Ref

Reason = Literal[
    "unknown_fact",
    "same_fact",
    "repaired",
    "rejected",
    "confirmed",
    "skipped",
    "open",
    "restated",
    "same_search",
    "not_new",
    "out_of_force",
    "no_check",
    "not_shown",
    "no_valid_reply",
    "passed_over",
    "not_recorded",
    "compatible",
]
"""The conflict outcomes where the pair was proposed; `passed_over`: named in a reply past what is read of it;
`not_recorded`: nothing shows what was compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Absence:
    """What became of the question whether two facts contradict each other."""

    old: Fact
    """The one that was there first, as it read when the other came."""
    new: Fact
    reason: Reason
    words: tuple[str, ...]
    """The reason in a sentence: texts and `Ref`s."""
    check: Check | None = None
    """The conflict check of the search that brought the new fact: the one occasion to compare the two."""
    places: tuple[Place, ...] = ()
    """The facts in force at it, best first."""
    named: tuple[tuple[str, str], ...] = ()
    """Pairs that this check proposed instead: stored, new."""
    conflict: Conflict | None = None
    """Where the pair was proposed."""
    instead: tuple[str, str] | None = None
    """The pair to ask about, where one of the facts only restates or became another."""
    meetings: tuple[Meeting, ...] = ()
    """Search by search from the older fact on."""


def why_not(ledger: Ledger, a: str, b: str, known: tuple[Conflict, ...] | None = None) -> Absence:
    """Why no repair came of two facts, whichever is named first; `known` saves finding the conflicts again."""
    unknown = next((one for one in (a, b) if one not in ledger.last.evidence), None)
    if unknown is not None:
        return _plain(ledger, a, b, "unknown_fact", (Ref(unknown), " is no fact of this run."))
    if a == b:
        return _plain(ledger, a, b, "same_fact", ("A fact is not compared with itself. Choose another one.",))
    order = [*ledger.last.evidence]
    old, new = sorted((a, b), key=order.index)
    of_both = [one for one in (conflicts(ledger) if known is None else known) if {one.old.id, one.new.id} == {a, b}]
    found = _proposed(of_both[-1]) if of_both else _apart(ledger, old, new)
    return replace(found, meetings=meetings(ledger, old, new))


def _plain(ledger: Ledger, a: str, b: str, reason: Reason, words: tuple[str, ...]) -> Absence:
    return Absence(old=fact(ledger.last, a), new=fact(ledger.last, b), reason=reason, words=words)


def _proposed(one: Conflict) -> Absence:
    pair = (Ref(one.new.id), " against ", Ref(one.old.id))
    said = {
        "repaired": ("A backtrack did fire: ", *pair, " was confirmed and ", Ref(one.old.id), " was repaired."),
        "rejected": ("The judge proposed ", *pair, f"; rejected by {ending(one.by, one.reason)}"),
        "confirmed": (*pair, " was confirmed, but the record holds no repair after it."),
        "skipped": (*pair, " was confirmed, but the repair would have changed nothing."),
        "open": ("The judge proposed ", *pair, ", and the record ends before a decision."),
    }
    return Absence(old=one.old, new=one.new, reason=one.outcome, words=said[one.outcome], conflict=one)


def _apart(ledger: Ledger, old: str, new: str) -> Absence:
    """Of two facts that were never proposed as a pair."""
    last = ledger.last.evidence
    if (early := _without_check(ledger, last[old], last[new])) is not None:
        return early
    number = last[new].search
    check = check_of(ledger, number)
    if check is None:
        return _plain(ledger, old, new, "no_check", _unchecked(ledger, number))
    before = ledger.at(check.moment)
    shaped = Absence(
        old=fact(before, old),
        new=fact(before, new),
        reason="compatible",
        words=(),
        check=check,
        places=places(ledger, check),
        named=_named(ledger, number),
    )
    return _checked(ledger, shaped, before)


def _without_check(ledger: Ledger, old: Evidence, new: Evidence) -> Absence | None:
    """Where no check could have compared them."""
    homes = resolve(ledger.last, old.id).evidence, resolve(ledger.last, new.id).evidence
    if new.fate == "duplicate" and new.other:
        words = (Ref(new.id), " restates ", Ref(new.other), ": ", restating_rule(ledger, new.id, new.other), ".")
        if homes[0] == homes[1]:
            return _plain(ledger, old.id, new.id, "restated", (*words, " A restatement is attached, not judged."))
        rest = " So it was never put before the judge as a new fact."
        found = _plain(ledger, old.id, new.id, "not_new", (*words, rest))
        return _instead(found, old.id, new.other)
    if old.search == new.search:
        said = f"Both were read in search {new.search}. New facts are compared with stored ones, never with each other."
        return _plain(ledger, old.id, new.id, "same_search", (said,))
    return None


def _instead(found: Absence, old: str, new: str) -> Absence:
    return found if old == new else replace(found, instead=(old, new))


def _because(found: Absence, reason: Reason, *words: str) -> Absence:
    return replace(found, reason=reason, words=words)


def _unchecked(ledger: Ledger, number: int) -> tuple[str, ...]:
    start = ledger.search_starts.get(number)
    if start is None:
        return (f"The record does not hold search {number}, which brought the later fact.",)
    if not ledger.trace.calls:
        return (f"Search {number} had no stored fact in force to compare with, or no new one.",)
    failed = next((one for one in ledger.events[start:] if isinstance(one, ev.RunEnded | ev.SearchChosen)), None)
    ended = f" The run ended there: {failed.status.replace('_', ' ')}." if isinstance(failed, ev.RunEnded) else ""
    return (f"The record holds no conflict check in search {number}, which brought the later fact.{ended}",)


def _named(ledger: Ledger, number: int) -> tuple[tuple[str, str], ...]:
    """Pairs proposed in a search."""
    start = ledger.search_starts.get(number, 0)
    end = ledger.search_end(start)
    window = ledger.events[start : end - 1]
    return tuple((one.old, one.new) for one in window if isinstance(one, ev.ConflictProposed))


def _checked(ledger: Ledger, shaped: Absence, before: State) -> Absence:
    """What the check of the later fact's search did with the two."""
    check = shaped.check
    assert check is not None
    old, new = shaped.old.id, shaped.new.id
    if old not in check.stored and all(one.id != old for one in active_path(before)):
        return _out_of_force(shaped, before)
    if new not in check.new:
        return _because(
            shaped, "not_new", Ref(new), f" was not among the new facts that search {check.search} compared."
        )
    if not check.recorded:
        said = f"The record does not hold what search {check.search} compared; no conflict was proposed for "
        return _because(shaped, "not_recorded", said, Ref(new), " against ", Ref(old), ".")
    if old not in check.stored:
        return _because(shaped, "not_shown", *_ranked(shaped))
    if failed := next((one.failure for one in check.calls if one.failure), ""):
        said = f"Both were shown to the judge, but its call failed: {failed.replace('_', ' ')}."
        return _because(shaped, "no_valid_reply", said)
    if _never_valid(ledger, check):
        said = f"Both were shown, but no reply of the judge was valid in {len(check.calls)} tries."
        return _because(shaped, "no_valid_reply", said)
    if _in_reply(ledger, check, old, new):
        said = f"The judge's reply in search {check.search} names the pair, past the pairs that are read of one reply."
        return _because(shaped, "passed_over", said)
    return _because(shaped, "compatible", *_compatible(check, shaped.named, old, new))


def _compatible(check: Check, named: tuple[tuple[str, str], ...], old: str, new: str) -> tuple[str, ...]:
    other = f"; it named {count(len(named), 'other pair')}" if named else " of any pair"
    return (
        "The judge saw ",
        Ref(new),
        " beside ",
        Ref(old),
        f" in search {check.search} and named no conflict{other}.",
    )


def _out_of_force(shaped: Absence, before: State) -> Absence:
    """The older fact was not on the active path when the newer one came."""
    one = before.evidence.get(shaped.old.id)
    check = shaped.check
    number = check.search if check else 0
    when = f" when search {number} brought "
    gone = (Ref(shaped.old.id), f" was not in force{when}", Ref(shaped.new.id), ": ")
    if one is None:
        return _because(shaped, "out_of_force", *gone, "it was not yet read.")
    if one.fate in ("duplicate", "absorbed") and one.other:
        how = "restates" if one.fate == "duplicate" else "had become a revision of"
        found = _because(shaped, "out_of_force", *gone, f"it {how} ", Ref(one.other), ".")
        return _instead(found, one.other, shaped.new.id)
    fates = {"set_aside": "it had been set aside", "pruned": f"it was pruned at event {one.pruned_at}"}
    return _because(shaped, "out_of_force", *gone, f"{fates.get(one.fate, 'it lay on no node of the active path')}.")


def _ranked(found: Absence) -> tuple[str, ...]:
    """Why a fact in force was not among those shown."""
    check, ranking, old = found.check, found.places, found.old.id
    assert check is not None
    own = next((one for one in ranking if one.id == old), None)
    if own is not None and own.same_as:
        return (Ref(own.same_as), " says the same in the same words as ", Ref(old), " and was shown for both.")
    if own is None or own.overlap is None:
        return (
            Ref(old),
            f" was not among the {len(check.stored)} stored facts that search {check.search} showed the judge.",
        )
    least = [one for one in ranking if one.shown][-1]
    how = "as many, and is newer" if least.overlap == own.overlap else str(least.overlap)
    return (
        Ref(old),
        f" was in force but not shown: at place {ranking.index(own) + 1} of {len(ranking)}, "
        f"with {own.overlap} words in common with the query and the new facts. The last one shown, ",
        Ref(least.id),
        f", has {how}.",
    )


def _never_valid(ledger: Ledger, check: Check) -> bool:
    """Every call of the check was answered with something that did not validate."""
    start = ledger.search_starts[check.search]
    end = ledger.search_end(start)
    window = ledger.events[start : end - 1]
    refused = sum(isinstance(one, ev.ReplyRejected) and one.role == "conflict" for one in window)
    return bool(check.calls) and refused >= len(check.calls)


def _in_reply(ledger: Ledger, check: Check, old: str, new: str) -> bool:
    """Whether the last reply of a check names the pair all the same."""
    calls = ledger.trace.conflict_calls.get(check.search)
    pairs = _reply(calls[-1][1]).get("pairs") if calls else None
    named = [one for one in pairs if isinstance(one, dict)] if isinstance(pairs, list) else []
    return any((tidy_id(str(one.get("stored"))), tidy_id(str(one.get("new")))) == (old, new) for one in named)


def _reply(record: CallRecord) -> dict[str, object]:
    """The JSON object of a reply; empty where it has none."""
    completion = completion_of(record.reply)
    try:
        return read_json(completion) if completion else {}
    except ValueError:
        return {}
