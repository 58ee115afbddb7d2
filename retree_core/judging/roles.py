"""What part a name plays in its sentence: who does it, to what, where."""

from typing import Final

from retree_core.judging.reading import Reading
from retree_core.judging.verbs import AUXILIARIES
from retree_core.text.names import Name
from retree_core.text.wordlists import word_set

SUBJECT: Final = "subject"
AGENT: Final = "agent"
OBJECT: Final = "object"
COMPLEMENT: Final = "complement"
PLACE: Final = "place"
_PLACE_WORDS: Final = word_set(
    "in at on near outside inside within around under upon off behind beside over across along through above below between"
)
_DIRECTION_WORDS: Final = word_set("to into onto toward towards")
_ROLE_WORDS: Final = word_set("of from with for as against after before since until during")
_CREDITING: Final = word_set(
    "credited attributed ascribed fell belongs belonged went due awarded given presented granted"
)
_STOPS: Final = word_set("and or who which that but")


def role_of(name: Name, reading: Reading) -> str:
    """Return the part a name plays; see `role_at`."""
    return role_at(name.start, reading)


def role_at(position: int, reading: Reading) -> str:
    """Return the part of the phrase at a character position: subject, agent, object, complement, place, to, or its
    preposition.

    'agent' is who acts, in the active or behind 'by'; 'subject' is what the sentence is about otherwise.
    """
    index = reading.index_at(position)
    if index < reading.body:
        return _preposition(reading, index) or PLACE
    before_verb = reading.verb is None or index < reading.verb
    preposition = _preposition(reading, index)
    if before_verb and preposition != AGENT:
        return SUBJECT if _is_stative(reading) else AGENT
    if preposition:
        return preposition
    return COMPLEMENT if reading.copular else OBJECT


def _is_stative(reading: Reading) -> bool:
    """Tell whether the subject undergoes or is something rather than acts."""
    return reading.verb is None or reading.passive or reading.copular


def _preposition(reading: Reading, index: int) -> str:
    """Return the preposition that governs the phrase the word at `index` ends, or ''."""
    end = reading.words[index].start if index < len(reading.words) else len(reading.text)
    for back in range(index - 1, max(-1, index - 6), -1):
        word = reading.words[back]
        between = reading.text[word.end : end]
        if ". " in between or "; " in between or ("," in between and back < index - 1):
            return ""
        if word.text == "by":
            return AGENT
        if word.text in _PLACE_WORDS:
            return PLACE
        if word.text in _DIRECTION_WORDS:
            return AGENT if back and reading.words[back - 1].text in _CREDITING else "to"
        if word.text in _ROLE_WORDS:
            return word.text
        if word.text in AUXILIARIES or word.text in _STOPS or back == reading.verb or word.owner:
            return ""
        end = word.start
    return ""


_WILD: Final = frozenset({SUBJECT, AGENT, OBJECT, COMPLEMENT, "of", ""})


def comparable(old: str, new: str) -> bool:
    """Tell whether names in two parts can exclude each other: not a place and an agent, say."""
    if old == new:
        return True
    if PLACE in (old, new) or "to" in (old, new):
        other = new if old in (PLACE, "to") else old
        return other in (PLACE, "to", COMPLEMENT, SUBJECT, "of", "from")
    return old in _WILD and new in _WILD
