"""Guards against repairs where both facts can be true as they stand: nothing in them is opposed."""

from retree_core.judging.compare import Comparison
from retree_core.judging.cues import NOT_ONLY
from retree_core.judging.facts import GuardResult
from retree_core.judging.opposed import Opposition, oppositions
from retree_core.judging.phrases import find_phrases
from retree_core.judging.reading import Reading
from retree_core.judging.synonyms import akin
from retree_core.text.values import values_in


def unclear_notation(comparison: Comparison) -> GuardResult:
    """Veto when a number or date can be read so that both facts say the same."""
    if not comparison.unclear:
        return _passed("unclear_notation", "No number or date is written in a way that can be read twice.")
    old, new = comparison.unclear[0]
    return _vetoed("unclear_notation", f"'{old}' and '{new}' can be read as the same value.")


def not_only(comparison: Comparison) -> GuardResult:
    """Veto when the negation is a 'not only', which denies nothing."""
    found = (
        *find_phrases(comparison.old.lowered, NOT_ONLY),
        *find_phrases(comparison.new.lowered, NOT_ONLY),
    )
    if found and not _values_opposed(comparison):
        return _vetoed("not_only", f"'{found[0]}' adds to the other fact and denies nothing in it.")
    return _passed("not_only", "No 'not only' stands in the place of a negation.")


def values_equal(comparison: Comparison) -> GuardResult:
    """Veto when all values agree after normalising numbers, units, dates and aliases."""
    old, new = values_in(comparison.pair.old), values_in(comparison.pair.new)
    loose = comparison.old_names or comparison.new_names or comparison.near_numbers or comparison.wider_dates
    if old and new and not loose and len(old) == len(new) and not oppositions(comparison):
        return _vetoed("values_equal", f"Both facts state the same values: {_listed(old | new)}.")
    return _passed("values_equal", "The facts do not state the same values throughout.")


def approximate(comparison: Comparison) -> GuardResult:
    """Veto when one value is only a less exact form of the other (about 1,200 and 1,187; the 1930s and 1934)."""
    if not _opposed_beside(comparison, ("number", "date")):
        for number in comparison.near_numbers:
            return _vetoed(
                "approximate", f"'{number.old.written}' and '{number.new.written}' agree within what is stated."
            )
        for date in comparison.wider_dates:
            old, new = date.old.date.written, date.new.date.written
            return _vetoed("approximate", f"'{old}' and '{new}' are one time, stated less and more exactly.")
    return _passed("approximate", "No value is a less exact form of the other.")


def place_within_place(comparison: Comparison) -> GuardResult:
    """Veto when the places differ only because one lies in the other."""
    if comparison.nested and not oppositions(comparison):
        old, new = comparison.nested[0]
        return _vetoed("place_within_place", f"Of '{old.written}' and '{new.written}' one lies in the other.")
    return _passed("place_within_place", "No place of one fact lies in a place of the other.")


def refinement(comparison: Comparison) -> GuardResult:
    """Veto when one fact says all the other says, and more."""
    if not oppositions(comparison):
        for less, more, word in ((comparison.old, comparison.new, "new"), (comparison.new, comparison.old, "stored")):
            if _says_all(less, more) and not _says_all(more, less):
                return _vetoed("refinement", f"The {word} fact says all the other says and adds {_added(less, more)}.")
    return _passed("refinement", "Neither fact is only a fuller form of the other.")


def nothing_changes(comparison: Comparison) -> GuardResult:
    """Veto when both facts say the same in other words."""
    if (
        not oppositions(comparison)
        and _says_all(comparison.old, comparison.new)
        and _says_all(comparison.new, comparison.old)
    ):
        return _vetoed("nothing_changes", "Both facts use the same content words; a repair would change nothing.")
    return _passed("nothing_changes", "The facts differ in what they say.")


def no_opposed_value(comparison: Comparison) -> GuardResult:
    """Veto when no value, negation or word of one fact excludes anything in the other."""
    found = oppositions(comparison)
    if not found:
        return _vetoed("no_opposed_value", "No value, negation or word of one fact excludes anything in the other.")
    return _passed("no_opposed_value", f"'{found[0].old}' stands against '{found[0].new}' ({found[0].kind}).")


def _values_opposed(comparison: Comparison) -> bool:
    return any(opposition.kind in ("number", "date", "name") for opposition in oppositions(comparison))


def _opposed_beside(comparison: Comparison, kinds: tuple[str, ...]) -> tuple[Opposition, ...]:
    """Return the oppositions that are no cross-talk of an inexact value with another of its kind."""
    near = comparison.near_numbers or comparison.wider_dates
    return tuple(opposition for opposition in oppositions(comparison) if not (near and opposition.kind in ()))


def _says_all(less: Reading, more: Reading) -> bool:
    """Tell whether every content word of one fact has its like in the other."""
    there = [word.stem for word in more.words]
    return all(any(akin(word.stem, other) for other in there) for word in less.content)


def _added(less: Reading, more: Reading) -> str:
    there = [word.stem for word in less.words]
    added = [word.text for word in more.words if not any(akin(word.stem, other) for other in there)]
    return ", ".join(f"'{word}'" for word in added[:4]) or "detail"


def _listed(keys: frozenset[str]) -> str:
    return ", ".join(sorted(key.split(":", 1)[1] for key in keys)[:4])


def _passed(name: str, detail: str) -> GuardResult:
    return GuardResult(name=name, passed=True, detail=detail)


def _vetoed(name: str, detail: str) -> GuardResult:
    return GuardResult(name=name, passed=False, detail=detail)
