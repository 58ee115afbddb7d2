"""What each number and date of a fact is about: the thing counted, the measure, the event."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from retree_core.judging.reading import Attribute, Reading, Word
from retree_core.judging.relations import EVENTS, MEASURES
from retree_core.judging.stems import stem
from retree_core.judging.verbs import AUXILIARIES, PEOPLE_WORDS, VERBS
from retree_core.text.dates import Date
from retree_core.text.quantities import Quantity
from retree_core.text.wordlists import word_set

_MEASURES_OF_UNIT: Final = {
    "m": word_set("length width height depth diameter wingspan distance"),
    "m2": word_set("area"),
    "kg": word_set("weight"),
    "ton": word_set("weight"),
    "s": word_set("duration age frequency"),
    "month": word_set("duration age frequency reign"),
    "clock": word_set("duration"),
    "m/s": word_set("speed"),
    "w": word_set("power"),
    "c": word_set("temperature"),
    "degree": word_set("temperature"),
    "ordinal": word_set("rank largest smallest highest longest oldest"),
}
_SCENE: Final = re.compile(r"\b(?:at|at the age of|aged|by the age of|when (?:he|she|it|they) (?:was|were))\s*$")
_DATES_TO: Final = re.compile(r"\bdat(?:es|ed|ing) (?:back )?(?:to|from) (?:the )?(?:\w+ )?$")
_MONEY: Final = word_set("cost revenue profit loss sell acquire award")
_CURRENCIES: Final = word_set("usd eur gbp jpy inr cny chf cad aud franc krone rub")
_COUNTS: Final = MEASURES - word_set(
    "length width height depth diameter wingspan distance weight speed power temperature"
)
_NO_NOUN: Final = AUXILIARIES | word_set(
    "in on at by for with from to as than and or but which that who when while since until after before during of about around over under "
    "each every per more less fewer the a an its his her their is was when old long wide tall high deep away ago later earlier above below"
)
_EVENT_LABELS: Final = EVENTS | word_set("reside work chief mayor")
_QUALIFYING: Final = word_set("by until till since before after during throughout between as to through")
_COMPOSED: Final = word_set("consists consisted consisting composed comprised made up total")
_HEDGING: Final = word_set(
    "about around approximately roughly nearly almost some over more less than only just a an at least up to under"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberUse:
    """A quantity and what it measures or counts."""

    quantity: Quantity
    labels: frozenset[str]
    """The measures it may state (population, height); empty when none is named."""
    noun: str
    """Stem of the thing counted; '' for none."""
    modifiers: frozenset[str]
    """Stems of the words that narrow the noun."""
    parts_of: frozenset[str]
    """Stems of the content words after 'of': 40 tonnes of grain."""
    measured: str
    """Stem of the noun in 'a range of 3,000 km'; '' for none."""
    written: str
    scene: bool
    """It only sets the scene: at thirty, at the age of ten."""
    before_verb: bool
    """It stands before the main verb."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DateUse:
    """A date and the event it dates."""

    date: Date
    labels: frozenset[str]
    """The events it may date; empty when none is named."""
    preposition: str
    qualifies: bool
    """It sets the time of a statement (as of 2010, since 2016) rather than dating an event."""


def number_uses(reading: Reading) -> tuple[NumberUse, ...]:
    """Return the fact's quantities with what they are about, in order."""
    return tuple(_number_use(quantity, reading) for quantity in reading.values.quantities)


def date_uses(reading: Reading) -> tuple[DateUse, ...]:
    """Return the fact's dates with what they date, in order."""
    return tuple(_date_use(date, reading) for date in reading.values.dates)


def _number_use(quantity: Quantity, reading: Reading) -> NumberUse:
    nouns = _counted(quantity, reading)
    written = reading.text[quantity.start : quantity.end].strip()
    noun = nouns[-1].stem if nouns and not quantity.unit else ""
    if noun == stem("times") or written.lower() in ("twice", "thrice"):
        noun = reading.verb_stem
    return NumberUse(
        quantity=quantity,
        labels=_measures(quantity, reading),
        noun=noun,
        modifiers=frozenset(word.stem for word in nouns[:-1]) if not quantity.unit else frozenset(),
        parts_of=_of_nouns(quantity, reading) if quantity.unit else frozenset(),
        measured=_measured(quantity, reading),
        written=written,
        scene=not quantity.unit and bool(_SCENE.search(reading.lowered[: quantity.start])),
        before_verb=reading.verb is not None and quantity.start < reading.words[reading.verb].start,
    )


def _counted(quantity: Quantity, reading: Reading) -> list[Word]:
    """Return the words of the noun phrase after a number, up to the first word that cannot belong to it."""
    nouns: list[Word] = []
    end = quantity.end
    for word in reading.words[reading.index_at(quantity.end) :]:
        between = reading.text[end : word.start]
        if word.text in _NO_NOUN or re.search(r"[,.;:()]", between) or len(nouns) == 4:
            break
        if nouns and (word.text.endswith("ed") or (word.stem in VERBS and not word.text.endswith("s"))):
            break
        nouns.append(word)
        end = word.end
        if word.owner:
            break
    return nouns


def _of_nouns(quantity: Quantity, reading: Reading) -> frozenset[str]:
    match = re.match(r"\W*of ([^.,;:()]*)", reading.lowered[quantity.end :])
    if match is None:
        return frozenset()
    words = reading.words_between(quantity.end, quantity.end + match.end())
    verb = next((index for index, word in enumerate(words) if word.text in AUXILIARIES), len(words))
    return frozenset(word.stem for word in words[:verb] if word.content)


def _measured(quantity: Quantity, reading: Reading) -> str:
    """Return the noun that an 'of' ties to the number: a crew of two, a range of 3,000 km."""
    index = reading.index_at(quantity.start)
    words = [word for word in reading.words[max(0, index - 6) : index] if word.text not in _HEDGING]
    if len(words) >= 2 and words[-1].text == "of" and words[-2].content and words[-2].text not in _COMPOSED:
        return words[-2].stem
    return ""


def _measures(quantity: Quantity, reading: Reading) -> frozenset[str]:
    """Return the nearest measures the unit allows."""
    allowed = _MONEY if quantity.unit in _CURRENCIES else _MEASURES_OF_UNIT.get(quantity.unit, _COUNTS)
    if quantity.unit == "%":
        allowed = _COUNTS | word_set("vote")
    return _nearest(reading.attributes, reading, quantity.start, quantity.end, allowed)


def _nearest(
    attributes: Sequence[Attribute], reading: Reading, start: int, end: int, allowed: frozenset[str]
) -> frozenset[str]:
    """Return the allowed labels of the attribute word nearest to a stretch of text."""
    before, after = reading.index_at(start), reading.index_at(end)
    best: tuple[int, frozenset[str]] = (10**6, frozenset())
    for attribute in attributes:
        labels = attribute.labels & allowed
        gap = attribute.first - after + 1 if attribute.first >= after else before - attribute.last
        if labels and gap < best[0]:
            best = (gap, labels)
    return best[1]


def _date_use(date: Date, reading: Reading) -> DateUse:
    index = reading.index_at(date.start)
    before = [word.text for word in reading.words[max(0, index - 3) : index]]
    preposition = next(
        (word for word in reversed(before) if word in _QUALIFYING | {"in", "on", "at", "from", "of"}), ""
    )
    if preposition == "until" and re.search(r"\bnot (?:\w+ ){1,3}until", reading.lowered[: date.start]):
        preposition = "in"
    as_of = "as of" in reading.lowered[max(0, date.start - 8) : date.start]
    at_end = re.search(
        r"\b(?:at the (?:end|start|beginning|turn) of) $", reading.lowered[max(0, date.start - 20) : date.start]
    )
    ranged = _in_range(date, reading)
    if _DATES_TO.search(reading.lowered[: date.start]):
        preposition = "in"
    return DateUse(
        date=date,
        labels=_events(date, reading),
        preposition="as of" if as_of else preposition,
        qualifies=bool(as_of or preposition in _QUALIFYING or at_end or ranged),
    )


def _in_range(date: Date, reading: Reading) -> bool:
    """Tell whether a date is one end of a range (1990-1998, from 1990 to 1998)."""
    text = reading.lowered
    after = re.match(r"\s*(?:-|\u2013|to|until|and)\s*(?:\d|the|present)", text[date.end :])
    before = re.search(r"\d\s*(?:-|\u2013|to|until|and)\s*$", text[: date.start])
    return bool(after or before)


def _events(date: Date, reading: Reading) -> frozenset[str]:
    if len(reading.values.dates) == 1:
        return (reading.labels & _EVENT_LABELS - {"occur"}) or reading.labels & {"occur"}
    return _nearest(reading.attributes, reading, date.start, date.end, _EVENT_LABELS)


def counts_people(noun: str) -> bool:
    """Tell whether a counted noun (a stem) stands for people in general."""
    return noun in _PEOPLE


_PEOPLE: Final = frozenset(word[:-1] if word.endswith("e") and len(word) > 3 else word for word in PEOPLE_WORDS)
