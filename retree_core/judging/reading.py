"""One fact taken apart: words, values, the attributes it names, its main verb and what part each name plays."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from retree_core.judging.relations import LONGEST_PHRASE, PHRASES
from retree_core.judging.stems import is_irregular, stem
from retree_core.judging.verbs import AUXILIARIES, COPULAS, PARTICIPLES, VERBS
from retree_core.text.dates import lower
from retree_core.text.names import Name, name_key
from retree_core.text.normal import without_accents
from retree_core.text.stopwords import STOPWORDS
from retree_core.text.values import Values, read_values
from retree_core.text.wordlists import word_set

_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_FUNCTION: Final = STOPWORDS | word_set(
    "not no never n't there who which that its their his her one ones us m during since until after before within among between around "
    "near along across through against upon per via while although also both either neither called named"
)
_DETERMINERS: Final = word_set("the a an this that these those its his her their our my your no each every")
_PREPOSITIONS: Final = word_set(
    "in at on near outside inside within around by of to into from with for as during since until after before under over between among "
    "along across through against upon onto beside behind off"
)
_LIGHT: Final = frozenset(
    stem(word) for word in "be have do take make come go give get hold run set put keep bring fall".split()
)
_OPENERS: Final = _PREPOSITIONS | word_set("when while as although despite throughout according")


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """One word of a fact."""

    text: str
    """Lower case, without a possessive ending."""
    stem: str
    start: int
    end: int
    owner: bool
    """It ends in 's."""
    content: bool
    """Neither a function word nor part of a value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """A word or phrase that names what the fact is about."""

    labels: frozenset[str]
    """The attributes it can mean; keys of `relations.LABELS`."""
    first: int
    """Index of its first word."""
    last: int
    """Index of its last word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A fact taken apart."""

    values: Values
    names: tuple[Name, ...]
    """The names; also those of a lower-case fact that a text beside it writes with capitals."""
    words: tuple[Word, ...]
    attributes: tuple[Attribute, ...]
    verb: int | None
    """Index of the main verb in `words`."""
    body: int
    """Index of the first word after an opening adverbial such as 'In 2012,'."""

    @property
    def text(self) -> str:
        """The NFKC text all character indices refer to."""
        return self.values.text

    @property
    def lowered(self) -> str:
        """The text in lower case, with every index in place."""
        return lower(self.text)

    @property
    def labels(self) -> frozenset[str]:
        """Every attribute the fact may name."""
        return frozenset(label for attribute in self.attributes for label in attribute.labels)

    @property
    def content(self) -> tuple[Word, ...]:
        """The content words."""
        return tuple(word for word in self.words if word.content)

    @property
    def stems(self) -> frozenset[str]:
        """The stems of the content words."""
        return frozenset(word.stem for word in self.content)

    @property
    def verb_stem(self) -> str:
        """Stem of the main verb, or of the participle after an auxiliary; '' when none is found."""
        if self.verb is None:
            return ""
        for word in self.words[self.verb : self.verb + 4]:
            if word.text not in AUXILIARIES and (_is_verb_form(word) or word.stem in VERBS):
                return word.stem
        return self.words[self.verb].stem

    @property
    def passive(self) -> bool:
        """Whether the main verb is a form of 'be' with a participle."""
        if self.verb is None or self.words[self.verb].text not in AUXILIARIES:
            return False
        ahead = self.words[self.verb : self.verb + 5]
        been = any(word.text in COPULAS for word in ahead)
        return been and any(_is_participle(word) for word in ahead[1:])

    @property
    def copular(self) -> bool:
        """Whether the main verb is a plain form of 'be'."""
        return self.verb is not None and self.words[self.verb].text in COPULAS and not self.passive

    @property
    def verb_labels(self) -> frozenset[str]:
        """Attributes that the main verb or its participle names."""
        if self.verb is None:
            return frozenset()
        reach = range(self.verb, self.verb + 4)
        wanted = {index for index in reach if index < len(self.words) and self.words[index].stem == self.verb_stem}
        found = (a.labels for a in self.attributes if wanted & set(range(a.first, a.last + 1)))
        light = self.verb_stem in _LIGHT
        return frozenset(label for labels in found for label in labels) if not light else frozenset()

    def words_between(self, start: int, end: int) -> tuple[Word, ...]:
        """Return the words within the character indices."""
        return tuple(word for word in self.words if start <= word.start and word.end <= end)

    def index_at(self, position: int) -> int:
        """Return the index of the first word that starts at or after a character position."""
        return next((index for index, word in enumerate(self.words) if word.start >= position), len(self.words))


@lru_cache(maxsize=2048)
def read_fact(fact: str, beside: tuple[str, ...] = ()) -> Reading:
    """Return the fact taken apart; `beside` are texts whose capitals tell the names of a fact in lower case."""
    values = read_values(fact)
    names = _settled_names(values, beside)
    taken = [(value.start, value.end) for value in (*values.dates, *values.quantities, *names)]
    words = tuple(_words(values.text, taken))
    body = _body(words, values.text)
    return Reading(
        values=values,
        names=names,
        words=words,
        attributes=_attributes(words),
        verb=_main_verb(words, body, names),
        body=body,
    )


def _settled_names(values: Values, beside: Sequence[str]) -> tuple[Name, ...]:
    """Return the names, less sentence openings that are common nouns, plus those other texts show to be names."""
    sure = [name for name in values.names if name.sure or not _is_common(name, values.text, beside)]
    if values.text != lower(values.text):
        return tuple(sure)
    return tuple(_borrowed_names(values.text, beside))


def _is_common(name: Name, text: str, beside: Sequence[str]) -> bool:
    """Tell whether a word that opens a sentence is an ordinary noun: written small elsewhere, or a plural."""
    word = name.written.lower()
    if any(re.search(rf"(?<!\w){re.escape(word)}s?(?!\w)", other) for other in (text, *beside)):
        return True
    if any(re.search(rf"\w,? {re.escape(name.written)}(?!\w)", other) for other in beside):
        return False
    following = re.match(r"\W*(\w+)", text[name.end :])
    after = following.group(1).lower() if following else ""
    if after and after == (following.group(1) if following else "") and not _may_follow_name(after):
        return True
    plural = word.endswith("s") and not word.endswith(("ss", "us", "is", "as", "os"))
    return (
        plural
        and after not in ("is", "was", "has", "s")
        and text[name.end : name.end + 2] not in ("'s", "\u2019s", "' ")
    )


def _may_follow_name(word: str) -> bool:
    """Tell whether a word in lower case can stand right behind a name: a verb, a preposition, a function word."""
    return word in _FUNCTION | AUXILIARIES or word.endswith(("s", "ed", "ly")) or stem(word) in VERBS


def _borrowed_names(text: str, beside: Sequence[str]) -> list[Name]:
    """Return the names of the texts beside that a lower-case text contains, longest first, none overlapping."""
    known = {name.written.lower(): name for other in beside for name in read_values(other).names if name.sure}
    found: list[Name] = []
    for written in sorted(known, key=lambda word: (-len(word), word)):
        for match in re.finditer(rf"(?<!\w){re.escape(written)}(?!\w)", text):
            if all(match.end() <= name.start or match.start() >= name.end for name in found):
                key = name_key(written)
                found.append(replace(known[written], key=key, written=written, start=match.start(), end=match.end()))
    return sorted(found, key=lambda name: name.start)


def _words(text: str, taken: Sequence[tuple[int, int]]) -> list[Word]:
    words = []
    for match in _WORD.finditer(text):
        raw = lower(match.group())
        bare = re.sub(r"['\u2019]s$", "", raw)
        plain = without_accents(bare)
        free = not any(start < match.end() and match.start() < end for start, end in taken)
        words.append(
            Word(
                text=bare,
                stem=stem(plain),
                start=match.start(),
                end=match.end(),
                owner=bare != raw or text[match.end() : match.end() + 1] in ("'", "\u2019") and raw.endswith("s"),
                content=free
                and bare not in _FUNCTION | _PREPOSITIONS
                and bare not in AUXILIARIES
                and any(c.isalpha() for c in bare),
            )
        )
    return words


def _body(words: Sequence[Word], text: str) -> int:
    """Return the index of the first word after an opening adverbial that a comma closes."""
    if not words or words[0].text not in _OPENERS:
        return 0
    comma = text.find(", ", words[0].end)
    following = next((index for index, word in enumerate(words) if word.start > comma), 0)
    return following if 0 < comma and following <= 12 else 0


def _main_verb(words: Sequence[Word], body: int, names: Sequence[Name]) -> int | None:
    for index in range(body, len(words)):
        word = words[index]
        before = words[index - 1] if index > body else None
        if any(name.start <= word.start < name.end for name in names):
            continue
        if word.text in AUXILIARIES:
            return index
        if before is None or before.owner or before.text in _DETERMINERS or before.text in _PREPOSITIONS - {"to"}:
            continue
        if _is_verb_form(word) or (word.stem in VERBS and _is_inflected(word, before)):
            return index
    return next((index for index in range(body + 1, len(words)) if _looks_finite(words, index, names)), None)


def _looks_finite(words: Sequence[Word], index: int, names: Sequence[Name]) -> bool:
    """Tell whether an unknown word in -s stands like a verb: after a singular noun, before an article or preposition."""
    word, before = words[index], words[index - 1]
    following = words[index + 1].text if index + 1 < len(words) else "the"
    singular = not before.text.endswith("s") and before.text not in _FUNCTION
    ends = word.text.endswith("s") and not word.text.endswith(("ss", "us", "is"))
    free = not word.owner and not any(name.start <= word.start < name.end for name in names)
    return ends and singular and free and following in _DETERMINERS | _PREPOSITIONS


def _is_inflected(word: Word, before: Word) -> bool:
    """Tell whether a word that may be verb or noun is used as a verb: it has an ending, or follows a plural."""
    has_ending = word.text.endswith("s") or is_irregular(word.text)
    return has_ending or before.text.endswith("s") or before.text in ("they", "we", "you", "i", "people", "to")


def _is_verb_form(word: Word) -> bool:
    return (len(word.text) > 4 and word.text.endswith("ed")) or word.text in PARTICIPLES


def _is_participle(word: Word) -> bool:
    return _is_verb_form(word)


def _attributes(words: Sequence[Word]) -> tuple[Attribute, ...]:
    """Return the attribute words and phrases, the longest at each place."""
    found: list[Attribute] = []
    index = 0
    while index < len(words):
        for size in range(min(LONGEST_PHRASE, len(words) - index), 0, -1):
            labels = PHRASES.get(tuple(word.stem for word in words[index : index + size]))
            if labels:
                found.append(Attribute(labels=labels, first=index, last=index + size - 1))
                index += size - 1
                break
        index += 1
    return tuple(found)
