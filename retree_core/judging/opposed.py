"""What of one fact stands against the other: the disputed values."""

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from retree_core.judging.compare import Comparison
from retree_core.judging.cues import GROUPS, KINDS_OF
from retree_core.judging.phrases import members_of
from retree_core.judging.polarity import antonyms, is_negative, negated_words
from retree_core.judging.reading import Reading
from retree_core.judging.roles import AGENT, role_of
from retree_core.judging.stems import stem
from retree_core.judging.synonyms import akin
from retree_core.judging.verbs import AUXILIARIES, GENERIC_NOUNS
from retree_core.text.stopwords import STOPWORDS
from retree_core.text.wordlists import word_set

_Item = tuple[str, str, int]
_SYMMETRIC: Final = frozenset(
    stem(word)
    for word in "marry wed meet border merge fight face resemble adjoin neighbour play divorce join equal".split()
)
_SKIPPED: Final = word_set("a an the first also just only originally actually finally its his her their")
_LONGEST_SUBSTITUTION: Final = 4
_FRAME: Final = 0.5
_NEGATED_FRAME: Final = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class Opposition:
    """Two words or values of which at most one can be true, if both are said of the same thing."""

    kind: str
    """number, date, name, negation, antonym, swap, a contrast group such as colour, or word."""
    old: str
    new: str
    old_at: int = -1
    """Character index in the stored fact; -1 where that says nothing."""
    new_at: int = -1


def oppositions(comparison: Comparison) -> tuple[Opposition, ...]:
    """Return every opposition between two facts, in a fixed order; empty when both can be true together."""
    found = [
        *_of_polarity(comparison),
        *_of_values(comparison),
        *_of_groups(comparison),
        *_of_swap(comparison),
        *_of_comparison(comparison),
    ]
    return tuple(found) or tuple(_of_substitution(comparison)) or tuple(_of_leftovers(comparison))


def _of_polarity(comparison: Comparison) -> Iterator[Opposition]:
    old, new = comparison.old, comparison.new
    if is_negative(old) != is_negative(new):
        if _frames_match(comparison) and antonyms(old, new) is None:
            written = ("negated" if is_negative(fact) else "stated" for fact in (old, new))
            yield Opposition(kind="negation", old=next(written), new=next(written))
        return
    pair = antonyms(old, new)
    if pair is not None and not _is_inverted(comparison) and frame_overlap(comparison, pair) >= _FRAME:
        yield Opposition(kind="antonym", old=pair[0], new=pair[1])


def _is_inverted(comparison: Comparison) -> bool:
    """Tell whether the facts make different bearers of shared names their subject: A beat B, B was beaten by A."""
    firsts = [
        min((pair[side] for pair in comparison.shared_names), key=lambda name: name.start, default=None)
        for side in (0, 1)
    ]
    if len(comparison.shared_names) < 2 or firsts[0] is None or firsts[1] is None:
        return False
    return (firsts[0], firsts[1]) not in comparison.shared_names


def _frames_match(comparison: Comparison) -> bool:
    """Tell whether one fact denies what the other states: what is negated is there, and no name differs."""
    negative, positive = (
        (comparison.old, comparison.new) if is_negative(comparison.old) else (comparison.new, comparison.old)
    )
    denied = [word for word in negated_words(negative) if not _is_negator(word)]
    there = [word.stem for word in positive.words]
    said = [word for word in denied if any(akin(word, other) for other in there)]
    extra_names = comparison.old_names if negative is comparison.old else comparison.new_names
    if denied and not (akin(denied[0], denied[0]) and any(akin(denied[0], other) for other in there)):
        return bool(negative.labels & positive.labels) and len(said) >= _FRAME * len(denied) and not extra_names
    return len(said) >= _NEGATED_FRAME * len(denied) and not extra_names


def _is_negator(word: str) -> bool:
    return word in ("ever", "yet", "any", "actual")


def frame_overlap(comparison: Comparison, leaving: Sequence[str] = ()) -> float:
    """Return the share, 0..1, of the shorter fact's content words and names that the other has as well."""
    out = {stem(word) for phrase in leaving for word in phrase.split()}
    old = [word.stem for word in comparison.old.content if word.stem not in out]
    new = [word.stem for word in comparison.new.content if word.stem not in out]
    short, long = sorted((old, new), key=len)
    names = len(comparison.shared_names)
    total = len(short) + names + min(len(comparison.old_names), len(comparison.new_names))
    shared = sum(any(akin(word, other) for other in long) for word in short) + names
    return shared / total if total else 1.0


def _of_values(comparison: Comparison) -> Iterator[Opposition]:
    for number in comparison.numbers:
        a, b = number.old, number.new
        yield Opposition(kind="number", old=a.written, new=b.written, old_at=a.quantity.start, new_at=b.quantity.start)
    for date in comparison.dates:
        c, d = date.old.date, date.new.date
        yield Opposition(kind="date", old=c.written, new=d.written, old_at=c.start, new_at=d.start)
    for name in comparison.names:
        e, f = name.old, name.new
        yield Opposition(kind="name", old=e.written, new=f.written, old_at=e.start, new_at=f.start)


def _of_groups(comparison: Comparison) -> Iterator[Opposition]:
    """Yield members of one contrast group that only one fact each has."""
    for group in GROUPS:
        old, new = members_of(group, outside_names(comparison.old)), members_of(group, outside_names(comparison.new))
        only_old, only_new = [m for m in old if m not in new], [m for m in new if m not in old]
        if group == "kin" and _is_inverted(comparison):
            continue
        if only_old and only_new and not _is_kind(only_old[0], only_new[0]):
            yield Opposition(kind=group, old=old[only_old[0]], new=new[only_new[0]])


def _is_kind(a: str, b: str) -> bool:
    """Tell whether one member of a group is a kind of the other: bronze of metal."""
    return a in KINDS_OF.get(b, ()) or b in KINDS_OF.get(a, ())


def outside_names(reading: Reading) -> str:
    """Return the fact in lower case with its names and dates blanked out."""
    text = reading.lowered
    for value in (*reading.names, *reading.values.dates):
        text = text[: value.start] + "\x00" * (value.end - value.start) + text[value.end :]
    return text


def _of_swap(comparison: Comparison) -> Iterator[Opposition]:
    """Yield the two names of which each fact makes the other one the agent."""
    old, new = comparison.old, comparison.new
    same_deed = old.verb_stem == new.verb_stem or bool(old.verb_labels & new.verb_labels)
    if len(comparison.shared_names) < 2 or not same_deed or old.verb_stem in _SYMMETRIC:
        return
    old_agents = [pair for pair in comparison.shared_names if role_of(pair[0], comparison.old) == AGENT]
    new_agents = [pair for pair in comparison.shared_names if role_of(pair[1], comparison.new) == AGENT]
    if len(old_agents) == 1 and len(new_agents) == 1 and old_agents != new_agents:
        yield Opposition(kind="swap", old=old_agents[0][0].written, new=new_agents[0][1].written)


def _of_comparison(comparison: Comparison) -> Iterator[Opposition]:
    """Yield the two things of which each fact says it exceeds the other: A is heavier than B, B is heavier than A."""
    halves = [_around_than(reading) for reading in (comparison.old, comparison.new)]
    (old_left, old_right), (new_left, new_right) = halves
    crossed = old_left & new_right and old_right & new_left
    if crossed and not old_left & new_left and not old_right & new_right:
        yield Opposition(kind="swap", old=next(iter(sorted(old_left))), new=next(iter(sorted(new_left))))


def _around_than(reading: Reading) -> tuple[set[str], set[str]]:
    """Return the stems before the main verb and after 'than', without function words."""
    pivots = ("than", "before", "after")
    than = next((index for index, word in enumerate(reading.words) if word.text in pivots), None)
    if than is None or reading.verb is None:
        return set(), set()
    before, after = reading.words[: reading.verb], reading.words[than + 1 :]
    left, right = ({word.stem for word in part if word.text not in STOPWORDS} for part in (before, after))
    return left, right


def _of_substitution(comparison: Comparison) -> Iterator[Opposition]:
    """Yield the one stretch of words in which two otherwise equal sentences differ."""
    pairs = comparison.shared_names
    old = _frame(comparison.old, {pair[0].start: index for index, pair in enumerate(pairs)})
    new = _frame(comparison.new, {pair[1].start: index for index, pair in enumerate(pairs)})
    matcher = difflib.SequenceMatcher(None, [stem for stem, _, _ in old], [stem for stem, _, _ in new], autojunk=False)
    changes = [change for change in matcher.get_opcodes() if change[0] != "equal"]
    if len(changes) != 1 or changes[0][0] != "replace" or _is_inverted(comparison):
        return
    _, a, b, c, d = changes[0]
    if max(b - a, d - c) > _LONGEST_SUBSTITUTION or len(old) - (b - a) < 2:
        return
    if any(x.startswith("#") for x, _, _ in (*old[a:b], *new[c:d])):
        return
    if not _are_values(comparison, old[a:b], new[c:d]):
        return
    left, right = " ".join(word for _, word, _ in old[a:b]), " ".join(word for _, word, _ in new[c:d])
    yield Opposition(kind="word", old=left, new=right, old_at=old[a][2], new_at=new[c][2])


def _of_leftovers(comparison: Comparison) -> Iterator[Opposition]:
    """Yield the one content word of each fact that the other lacks, when the facts say the rest in another order."""
    old, new = comparison.old, comparison.new
    left = [word for word in old.content if not any(akin(word.stem, other.stem) for other in new.words)]
    right = [word for word in new.content if not any(akin(word.stem, other.stem) for other in old.words)]
    shared = len(comparison.shared_names) + len(old.content) - len(left)
    if len(left) != 1 or len(right) != 1 or shared < 2 or old.verb_stem != new.verb_stem or _is_inverted(comparison):
        return
    a, b = ([(word.stem, word.text, word.start)] for word in (left[0], right[0]))
    if _are_values(comparison, a, b):
        yield Opposition(kind="word", old=left[0].text, new=right[0].text, old_at=left[0].start, new_at=right[0].start)


def _are_values(comparison: Comparison, old: Sequence[_Item], new: Sequence[_Item]) -> bool:
    """Tell whether two stretches of words can be values: neither verbs, nor names of attributes, nor one a kind of the other."""
    if any(akin(x, y) or _is_kind(v, w) for x, v, _ in old for y, w, _ in new):
        return False
    if GENERIC_NOUNS & {word for _, word, _ in (*old, *new)}:
        return False
    sides = ((comparison.old, old), (comparison.new, new))
    if any(_has_verb(reading, {at for _, _, at in items}) for reading, items in sides):
        return False
    return not all(_names_attribute(reading, {at for _, _, at in items}) for reading, items in sides)


def _has_verb(reading: Reading, starts: set[int]) -> bool:
    if reading.verb is None:
        return True
    main = reading.words[reading.verb].start
    return main in starts or any(word.text in AUXILIARIES for word in reading.words if word.start in starts)


def _names_attribute(reading: Reading, starts: set[int]) -> bool:
    return any(
        reading.words[index].start in starts
        for attribute in reading.attributes
        for index in range(attribute.first, attribute.last + 1)
    )


def _frame(reading: Reading, shared: Mapping[int, int]) -> list[_Item]:
    """Return (stem, word, character index) of the words without articles; a value is one item that begins with '#'."""
    values = {date.start: (date.end, "#date") for date in reading.values.dates}
    values |= {number.start: (number.end, "#number") for number in reading.values.quantities}
    values |= {name.start: (name.end, f"#name{shared.get(name.start, name.key)}") for name in reading.names}
    frame: list[_Item] = []
    for word in reading.words:
        inside = next(((start, end, key) for start, (end, key) in values.items() if start <= word.start < end), None)
        if word.text in _SKIPPED:
            continue
        if inside is None:
            frame.append((word.stem, word.text, word.start))
        elif inside is not None and (not frame or frame[-1][2] < inside[0]):
            frame.append((inside[2], reading.text[inside[0] : inside[1]], inside[0]))
    return frame
