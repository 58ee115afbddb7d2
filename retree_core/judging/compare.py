"""Two facts side by side: which names, numbers and dates they share, and which stand against each other."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

from retree_core.judging.facts import FactPair
from retree_core.judging.places import DEMONYMS, lies_in, may_lie_in
from retree_core.judging.reading import Reading, read_fact
from retree_core.judging.roles import AGENT, PLACE, comparable, role_of
from retree_core.judging.synonyms import akin
from retree_core.judging.uses import DateUse, NumberUse, counts_people, date_uses, number_uses
from retree_core.text.dates import contains as date_contains
from retree_core.text.dates import could_be_equal
from retree_core.text.names import Name
from retree_core.text.quantities import Quantity
from retree_core.text.support import same_name
from retree_core.text.wordlists import word_set

_ADJECTIVE_ENDINGS: Final = word_set("an ian ean ese ish i ic n")
_PHASES: Final = word_set(
    "begin complete open close design consecrate demolish rebuild birth death marriage burial sell appoint resign"
)
_ROMAN: Final = frozenset("i ii iii iv v vi vii viii ix x xi xii".split())
_INSTITUTIONS: Final = word_set(
    "university college school academy institute church cathedral abbey hospital museum library station airport bridge tower castle palace "
    "stadium theatre theater council club company railway prize award medal street square park hall society party newspaper times county "
    "festival cup league championship act treaty battle war hotel airlines bank ministry"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NamePair:
    """Two names in comparable parts of the two sentences that are not the same."""

    old: Name
    new: Name
    old_role: str
    new_role: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberPair:
    """Two quantities that state the same measure."""

    old: NumberUse
    new: NumberUse


@dataclass(frozen=True, slots=True, kw_only=True)
class DatePair:
    """Two dates that date the same event."""

    old: DateUse
    new: DateUse


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Everything the guards look at."""

    pair: FactPair
    old: Reading
    new: Reading
    shared_names: tuple[tuple[Name, Name], ...]
    old_names: tuple[Name, ...]
    """Names only the stored fact has."""
    new_names: tuple[Name, ...]
    """Names only the new fact has."""
    names: tuple[NamePair, ...]
    """Names against each other."""
    numbers: tuple[NumberPair, ...]
    """Differing quantities of the same measure."""
    near_numbers: tuple[NumberPair, ...]
    """Quantities that agree only because one of them is inexact."""
    unclear: tuple[tuple[str, str], ...]
    """Numbers or dates that are equal under one reading of their notation."""
    dates: tuple[DatePair, ...]
    """Differing dates."""
    wider_dates: tuple[DatePair, ...]
    """Dates of which one is the other stated less exactly."""
    loose_numbers: bool
    """Both facts have a quantity the other lacks."""
    nested: tuple[tuple[Name, Name], ...]
    """Places of which one lies in the other."""

    @property
    def shared_labels(self) -> frozenset[str]:
        """Attributes both facts may name."""
        return self.old.labels & self.new.labels

    @property
    def shared_stems(self) -> frozenset[str]:
        """Content stems both facts have."""
        return self.old.stems & self.new.stems


@lru_cache(maxsize=512)
def compare(pair: FactPair) -> Comparison:
    """Return the two facts of a pair side by side."""
    old = read_fact(pair.old, (pair.new, pair.question, pair.old_passage, pair.new_passage))
    new = read_fact(pair.new, (pair.old, pair.question, pair.old_passage, pair.new_passage))
    shared, old_names, new_names = _match_names(old, new)
    nested = _nested(old_names, new_names, (old.text, new.text, pair.question, pair.old_passage, pair.new_passage))
    inner = {name.start for a, _ in nested for name in (a,)}
    against = [
        NamePair(old=a, new=b, old_role=role_of(a, old), new_role=role_of(b, new))
        for a in old_names
        for b in new_names
        if a.start not in inner and _comparable(a, b, old, new)
    ]
    numbers, near, unclear, loose = _match_numbers(number_uses(old), number_uses(new))
    dates, wider, unclear_dates = _match_dates(date_uses(old), date_uses(new))
    return Comparison(
        pair=pair,
        old=old,
        new=new,
        shared_names=shared,
        old_names=old_names,
        new_names=new_names,
        names=tuple(against),
        numbers=numbers,
        near_numbers=near,
        unclear=(*unclear, *unclear_dates),
        dates=dates,
        wider_dates=wider,
        nested=nested,
        loose_numbers=loose,
    )


def _comparable(a: Name, b: Name, old: Reading, new: Reading) -> bool:
    """Tell whether two names play parts in which they exclude each other; a host may be named as agent or place."""
    roles = role_of(a, old), role_of(b, new)
    hosts = "occur" in old.labels & new.labels and set(roles) == {AGENT, PLACE}
    return hosts or comparable(*roles)


def _match_names(
    old: Reading, new: Reading
) -> tuple[tuple[tuple[Name, Name], ...], tuple[Name, ...], tuple[Name, ...]]:
    """Return the names both have, in pairs, and those only one has."""
    left, rest = list(old.names), list(new.names)
    shared: list[tuple[Name, Name]] = []
    for exact in (True, False):
        for a in tuple(left):
            b = next((b for b in rest if (a.key == b.key if exact else _same(a, b))), None)
            if b is not None:
                shared.append((a, b))
                left.remove(a)
                rest.remove(b)
    left = [a for a in left if not _repeats(a, shared, 0) and not _spelled_out(a, new)]
    rest = [b for b in rest if not _repeats(b, shared, 1) and not _spelled_out(b, old)]
    return tuple(shared), tuple(left), tuple(rest)


def _same(a: Name, b: Name) -> bool:
    """Tell whether two names can stand for one bearer; numerals (Henry IV, Henry V) must agree."""
    numerals_a = [word for word in a.words if word in _ROMAN or word.isdigit()]
    numerals_b = [word for word in b.words if word in _ROMAN or word.isdigit()]
    if numerals_a != numerals_b:
        return False
    if a.key != b.key and _types(a) != _types(b):
        return False
    if _is_acronym_in(a, b) or _is_acronym_in(b, a):
        return True
    if _is_adjective_of(a.key, b.key) or _is_adjective_of(b.key, a.key):
        return True
    return same_name(a, b) or DEMONYMS.get(a.key) == b.key or DEMONYMS.get(b.key) == a.key


def _is_acronym_in(short: Name, long: Name) -> bool:
    """Tell whether an acronym spells the words of a longer name that begins here; 'and' may part them."""
    letters = short.written.replace(".", "")
    if not letters.isupper() or len(letters) < 2 or len(long.words) < 2:
        return False
    return letters.lower().startswith("".join(word[0] for word in long.words))


def _is_adjective_of(adjective: str, place: str) -> bool:
    """Tell whether a word looks like the adjective of a place: Kestrian of Kestria, Maltese of Malta."""
    root = place.rstrip("aeiouy")
    return len(root) > 2 and adjective != place and adjective.removeprefix(root) in _ADJECTIVE_ENDINGS


def _types(name: Name) -> frozenset[str]:
    """Return the words that say what kind of institution a name is of, and what tells it from its like."""
    kinds = _INSTITUTIONS.intersection(name.words)
    return frozenset(name.words) if kinds else frozenset()


def _repeats(name: Name, shared: Sequence[tuple[Name, Name]], side: int) -> bool:
    """Tell whether a name is only said again."""
    return any(_same(name, pair[side]) for pair in shared)


def _spelled_out(name: Name, other: Reading) -> bool:
    """Tell whether all words of the name stand in the other fact, as names or as common nouns."""
    if _types(name) and any(_types(other_name) for other_name in other.names):
        return False
    there = {word.text for word in other.words}
    return bool(name.words) and all(word in there for word in name.words)


def _nested(olds: Sequence[Name], news: Sequence[Name], texts: Sequence[str]) -> tuple[tuple[Name, Name], ...]:
    """Return pairs of which one place lies in the other: by the gazetteer, or as a text puts it ('X, Y', 'X in Y')."""
    return tuple((a, b) for a in olds for b in news if any(_lies_within(x, y, texts) for x, y in ((a, b), (b, a))))


def _lies_within(inner: Name, outer: Name, texts: Sequence[str]) -> bool:
    if (
        may_lie_in(inner.key, outer.key)
        or lies_in(inner.key, outer.key)
        or lies_in(inner.key, DEMONYMS.get(outer.key, ""))
    ):
        return True
    forms = [
        f"{inner.written}{link}{outer.written}" for link in (", ", " in ", " in the ", " (", ", in ", " district of ")
    ]
    return any(form.lower() in text.lower() for form in forms for text in texts)


def _match_numbers(
    olds: Sequence[NumberUse], news: Sequence[NumberUse]
) -> tuple[tuple[NumberPair, ...], tuple[NumberPair, ...], tuple[tuple[str, str], ...], bool]:
    """Return differing pairs, pairs that agree roughly or under one reading only, and whether both have others."""
    left, rest = list(olds), list(news)
    near: list[NumberPair] = []
    unclear: list[tuple[str, str]] = []
    for a in olds:
        b = next((b for b in rest if _equal(a.quantity, b.quantity)), None)
        if b is not None:
            left.remove(a)
            rest.remove(b)
    for a in tuple(left):
        for b in tuple(rest):
            if a in left and b in rest and a.quantity.unit == b.quantity.unit:
                if _maybe_equal(a.quantity, b.quantity):
                    unclear.append((a.written, b.written))
                elif _roughly_equal(a.quantity, b.quantity):
                    near.append(NumberPair(old=a, new=b))
                else:
                    continue
                left.remove(a)
                rest.remove(b)
    differing = tuple(NumberPair(old=a, new=b) for a in left for b in rest if same_measure(a, b))
    return differing, tuple(near), tuple(unclear), bool(left and rest)


def _equal(a: Quantity, b: Quantity) -> bool:
    """Tell whether two quantities are the same, conversions between systems rounded."""
    if a.unit != b.unit:
        return False
    gap = abs(a.amount - b.amount)
    if a.converted == b.converted:
        return gap == 0
    return gap <= max(a.step, b.step) and gap <= Fraction(1, 50) * max(abs(a.amount), abs(b.amount))


def _maybe_equal(a: Quantity, b: Quantity) -> bool:
    return a.other == b.amount or b.other == a.amount or (a.other is not None and a.other == b.other)


def _roughly_equal(a: Quantity, b: Quantity) -> bool:
    """Tell whether one quantity is an inexact form of the other."""
    for loose, exact in ((a, b), (b, a)):
        ratio = exact.amount / loose.amount if loose.amount else Fraction(0)
        if loose.hedge == "about" and Fraction(17, 20) <= ratio <= Fraction(23, 20):
            return True
        if loose.hedge == "least" and exact.hedge != "least" and 1 <= ratio <= Fraction(3, 2):
            return True
        if loose.hedge == "most" and exact.hedge != "most" and Fraction(4, 5) <= ratio <= 1:
            return True
    return False


def same_measure(a: NumberUse, b: NumberUse) -> bool:
    """Tell whether two quantities state the same measure of the same kind of thing."""
    if a.quantity.unit != b.quantity.unit:
        return False
    if a.labels and b.labels and not a.labels & b.labels:
        return False
    named = bool(a.labels & b.labels)
    if a.measured and b.measured and not akin(a.measured, b.measured):
        return named
    if a.quantity.unit:
        return not (a.parts_of and b.parts_of and not a.parts_of & b.parts_of)
    return named or _same_noun(a, b)


def _same_noun(a: NumberUse, b: NumberUse) -> bool:
    """Tell whether two plain numbers count the same: by their nouns, or as 'a crew of two' and 'three crew members'."""
    if a.noun and b.noun:
        both_people = counts_people(a.noun) and counts_people(b.noun)
        return akin(a.noun, b.noun) or both_people or bool((a.modifiers | {a.noun}) & (b.modifiers | {b.noun}))
    words_a, words_b = ({*use.modifiers, use.noun, use.measured} - {""} for use in (a, b))
    return any(akin(x, y) for x in words_a for y in words_b) or not (words_a and words_b)


def _match_dates(
    olds: Sequence[DateUse], news: Sequence[DateUse]
) -> tuple[tuple[DatePair, ...], tuple[DatePair, ...], tuple[tuple[str, str], ...]]:
    left, rest = list(olds), list(news)
    wider: list[DatePair] = []
    unclear: list[tuple[str, str]] = []
    for test in (_same_date, _unclear_date, _wider_date):
        for a in tuple(left):
            b = next((b for b in rest if test(a, b)), None)
            if b is None:
                continue
            left.remove(a)
            rest.remove(b)
            if test is _unclear_date:
                unclear.append((a.date.written, b.date.written))
            if test is _wider_date:
                wider.append(DatePair(old=a, new=b))
    differing = tuple(DatePair(old=a, new=b) for a in left for b in rest if _same_phase(a, b))
    return differing, tuple(wider), tuple(unclear)


def _same_phase(a: DateUse, b: DateUse) -> bool:
    """Tell whether two dates can be of one event: begun and completed are two phases of a building."""
    if a.labels == {"occur"} or b.labels == {"occur"}:
        return True
    phases_a, phases_b = a.labels & _PHASES, b.labels & _PHASES
    return not (phases_a and phases_b) or bool(phases_a & phases_b)


def _same_date(a: DateUse, b: DateUse) -> bool:
    return a.date.key == b.date.key


def _unclear_date(a: DateUse, b: DateUse) -> bool:
    return "unclear" in (a.date.grain, b.date.grain) and could_be_equal(a.date, b.date)


def _wider_date(a: DateUse, b: DateUse) -> bool:
    return date_contains(a.date, b.date) or date_contains(b.date, a.date)
