"""Words that name the same kind of thing, so that a paraphrase still finds its subject."""

from collections.abc import Mapping
from typing import Final

from retree_core.judging.stems import stem

_GROUPS: Final = (
    "company firm business corporation enterprise", "film movie picture", "novel book", "town city", "ship vessel boat", "car automobile vehicle",
    "disease illness", "doctor physician", "aircraft plane airplane", "child kid", "shop store", "singer vocalist", "lawyer attorney",
    "pupil student", "troop soldier", "team club side", "song track", "painting picture portrait canvas", "statue sculpture monument", "storm hurricane",
    "large big huge", "maximum great greatest deepest", "begin start commence", "end finish", "operation surgery", "nation country state",
    "road street highway", "home house", "sea ocean", "election vote poll", "war conflict", "prize award", "job post position", "area region",
    "mission expedition", "gallery museum", "stadium arena ground", "institution institute", "scientist researcher", "writer author novelist",
    "reign rule", "church chapel", "method technique", "rocket launcher", "satellite spacecraft probe", "conference meeting summit", "court tribunal",
    "farmer grower", "guest visitor tourist", "exhibition exhibit show", "tv television", "magazine journal periodical", "newspaper paper daily",
    "gene protein", "medicine drug medication", "quake earthquake", "railway railroad", "lift elevator", "petrol gasoline", "autumn fall", "football soccer",
    "musician performer", "mountain peak", "island isle", "forest wood", "cave cavern", "brook stream creek",
)  # fmt: skip
SAME: Final[Mapping[str, str]] = {stem(word): stem(group.split()[0]) for group in _GROUPS for word in group.split()}
"""Stem -> the stem that stands for its group."""
_DERIVED: Final = 5


def canonical(word_stem: str) -> str:
    """Return the stem that stands for all words of the same sense."""
    return SAME.get(word_stem, word_stem)


def _doer_of(doer: str, deed: str) -> bool:
    """Tell whether one stem names who does what the other says: player, play."""
    return doer.endswith(("er", "or")) and len(doer) > 4 and stem(doer[:-2]) == deed


def akin(a: str, b: str) -> bool:
    """Tell whether two stems are the same, synonyms, or derived from one word (surgery, surgeon)."""
    if canonical(a) == canonical(b):
        return True
    if _doer_of(a, b) or _doer_of(b, a):
        return True
    return min(len(a), len(b)) >= _DERIVED and a[:_DERIVED] == b[:_DERIVED]
