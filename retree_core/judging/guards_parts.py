"""Guards over the parts a model states when it confirms a conflict.

A small model often puts the disputed value into the wrong part. So parts mostly explain; one vetoes only when both its
sides stand in the facts word for word, the model itself calls them different, and they are not what is disputed.
"""

from collections.abc import Callable, Mapping
from typing import Final

from retree_core.judging.compare import compare
from retree_core.judging.duplicates import is_duplicate
from retree_core.judging.facts import FactPair, GuardResult, Part, Parts
from retree_core.judging.opposed import oppositions
from retree_core.judging.reading import read_fact
from retree_core.judging.synonyms import akin
from retree_core.text.normal import normalise
from retree_core.text.spans import locate
from retree_core.text.values import read_values

PART_GUARDS: Final[Mapping[str, str]] = {
    "stated_value_equal": "The values the model states are equal after normalising.",
    "stated_entity": "The entities the model states differ, and both stand in the facts.",
    "stated_attribute": "The attributes the model states differ, and both stand in the facts.",
    "stated_scope": "The scopes the model states differ, and both stand in the facts.",
    "stated_time": "The times the model states differ, and both stand in the facts.",
}
"""Name -> what it vetoes, in the order in which the guards are recorded."""
_UNVERIFIED: Final = "The stated parts are not both in the facts word for word, so they do not count."


def part_guards(pair: FactPair, parts: Parts) -> tuple[GuardResult, ...]:
    """Return what every guard over the stated parts says, in the order of `PART_GUARDS`."""
    return (
        _value_equal(pair, parts.value),
        _differing("stated_entity", pair, parts.entity, _names_differ),
        _differing("stated_attribute", pair, parts.attribute, _attributes_differ),
        _differing("stated_scope", pair, parts.scope, _words_differ),
        _differing("stated_time", pair, parts.time, _times_differ),
    )


def _value_equal(pair: FactPair, part: Part) -> GuardResult:
    if not _is_verified(pair, part):
        return GuardResult(name="stated_value_equal", passed=True, detail=_UNVERIFIED)
    if is_duplicate(part.old, part.new) and not oppositions(compare(pair)):
        detail = f"The stated values '{part.old}' and '{part.new}' are the same."
        return GuardResult(name="stated_value_equal", passed=False, detail=detail)
    return GuardResult(
        name="stated_value_equal", passed=True, detail="The stated values are not the same in all they say."
    )


def _differing(name: str, pair: FactPair, part: Part, differ: Callable[[str, str], bool]) -> GuardResult:
    """Return a veto when the stated parts are verified, called different, and are not the disputed values."""
    if part.same or not _is_verified(pair, part):
        detail = "The model calls the parts the same." if part.same else _UNVERIFIED
        return GuardResult(name=name, passed=True, detail=detail)
    if _is_disputed(pair, part):
        return GuardResult(name=name, passed=True, detail="The stated parts are the disputed values themselves.")
    if differ(part.old, part.new):
        return GuardResult(name=name, passed=False, detail=f"'{part.old}' and '{part.new}' are not the same.")
    return GuardResult(name=name, passed=True, detail=f"'{part.old}' and '{part.new}' can be the same.")


def _is_verified(pair: FactPair, part: Part) -> bool:
    """Tell whether each side stands in its own fact, word for word after normalising."""
    return _stands_in(part.old, pair.old) and _stands_in(part.new, pair.new)


def _stands_in(part: str, fact: str) -> bool:
    span = locate(part, fact) if normalise(part) else None
    return span is not None and span.score == 100.0


def _is_disputed(pair: FactPair, part: Part) -> bool:
    """Tell whether a part holds, or lies in, what stands against each other in the facts."""
    for opposition in oppositions(compare(pair)):
        for stated, disputed in ((part.old, opposition.old), (part.new, opposition.new)):
            a, b = f" {normalise(stated)} ", f" {normalise(disputed)} "
            if a in b or b in a:
                return True
    return False


def _words_differ(old: str, new: str) -> bool:
    """Tell whether two phrases share no content word."""
    a, b = read_fact(old), read_fact(new)
    left, right = (reading.content or reading.words for reading in (a, b))
    return not any(akin(x.stem, y.stem) for x in left for y in right)


def _names_differ(old: str, new: str) -> bool:
    """Tell whether two phrases name different things: no word of one is in the other."""
    a, b = read_fact(old), read_fact(new)
    return not any(akin(x.stem, y.stem) for x in a.words for y in b.words if len(x.stem) > 2)


def _attributes_differ(old: str, new: str) -> bool:
    """Tell whether two phrases name attributes that the table of attributes keeps apart."""
    a, b = read_fact(old).labels, read_fact(new).labels
    return bool(a and b) and not a & b


def _times_differ(old: str, new: str) -> bool:
    """Tell whether two phrases state different dates."""
    a, b = ({date.key for date in read_values(text).dates} for text in (old, new))
    return bool(a and b) and not a & b
