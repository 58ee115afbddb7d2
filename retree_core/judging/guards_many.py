"""Guard against repairs of attributes that can have several values at once."""

from collections.abc import Iterator
from typing import Final

from retree_core.judging.compare import Comparison
from retree_core.judging.cues import MANY_CUES
from retree_core.judging.facts import GuardResult
from retree_core.judging.opposed import Opposition, oppositions
from retree_core.judging.phrases import find_phrases
from retree_core.judging.reading import Reading
from retree_core.judging.roles import AGENT, OBJECT, PLACE, role_at
from retree_core.judging.verbs import MANY_AGENTS, MANY_FRAMES, MANY_PLACES, ONE_OBJECT, PROFESSIONS
from retree_core.text.wordlists import word_set

_SINGLE_VALUE_KINDS: Final = frozenset({"number", "date", "negation", "antonym", "swap"})
_MANY_LABELS: Final = frozenset(
    {"sibling", "children", "membership", "border", "instrument", "diet", "nickname", "star"}
)
_UNIQUE: Final = word_set(
    "only eldest oldest youngest first second third last sole main official capital largest favourite favorite"
)
_FRAMES: Final = frozenset(MANY_FRAMES)
_SINGLE_CONTESTS: Final = word_set(
    "battle war election lawsuit case trial siege debate duel contract bid fight race match final game"
)
_RECURRING: Final = word_set(
    "won win wins winning champion champions held hosted took visited toured performed competed ranked played"
)
_CONTEST: Final = word_set(
    "championship title cup league open medal tournament race marathon prix election match series season pennant trophy derby grand final games "
    "championships titles festival tour"
)


def many_valued_attribute(comparison: Comparison) -> GuardResult:
    """Veto when both values can hold at once: languages spoken, films starred in, sisters, works written."""
    name = "many_valued_attribute"
    found = oppositions(comparison)
    open_values = [o for o in found if o.kind not in _SINGLE_VALUE_KINDS]
    if found and len(open_values) == len(found):
        reason = next(_reasons(comparison, open_values), "")
        if reason:
            return GuardResult(name=name, passed=False, detail=reason)
    if found and all(o.kind == "date" for o in found):
        reason = _recurs(comparison)
        if reason:
            return GuardResult(name=name, passed=False, detail=reason)
    return GuardResult(name=name, passed=True, detail="The attribute has one value at a time.")


def _reasons(comparison: Comparison, found: list[Opposition]) -> Iterator[str]:
    """Yield every reason why the attribute can have both values."""
    old, new = comparison.old, comparison.new
    for reading in (old, new):
        for cue in find_phrases(reading.lowered, MANY_CUES)[:1]:
            yield f"'{cue}' says that the value is one of several."
    for opposition in found:
        shared = _frames_before(old, opposition.old_at) & _frames_before(new, opposition.new_at)
        for frame in sorted(shared):
            yield f"'{frame}' can be true of several values."
    professions = [find_phrases(reading.lowered, PROFESSIONS) for reading in (old, new)]
    for opposition in found:
        if opposition.kind in ("name", "word"):
            yield from _of_role(comparison, opposition)
        if opposition.kind == "word" and all(professions):
            yield f"One person can be '{professions[0][0]}' and '{professions[1][0]}'."
        if opposition.kind == "word" and _are_descriptions(comparison, opposition):
            yield f"'{opposition.old}' and '{opposition.new}' can both describe one thing."
    unique = _UNIQUE & {word.text for reading in (old, new) for word in reading.words}
    many = sorted(comparison.shared_labels & _MANY_LABELS)
    if many and not unique and all(o.kind in ("name", "word", "kin") for o in found):
        yield f"There can be several values of {many[0]}."


def _frames_before(reading: Reading, position: int) -> set[str]:
    """Return the phrases with many values that stand before a disputed value (all, where its place is not known)."""
    return set(find_phrases(reading.lowered[: position if position >= 0 else None], _FRAMES))


def _of_role(comparison: Comparison, opposition: Opposition) -> Iterator[str]:
    """Yield why what a verb does, or where, can be several things."""
    old, new = comparison.old, comparison.new
    roles = {role_at(opposition.old_at, old), role_at(opposition.new_at, new)}
    verbs = {old.verb_stem, new.verb_stem}
    verb = _verb_word(old)
    if roles == {AGENT} and verbs & MANY_AGENTS and "portray" not in old.labels | new.labels:
        yield f"Several can do what '{verb}' says."
    if roles == {OBJECT} and not verbs & ONE_OBJECT:
        yield f"'{verb}' can have several objects: '{opposition.old}', '{opposition.new}'."
    for preposition in ("with", "against", "about", "for"):
        if preposition in roles and (preposition != "for" or opposition.kind == "word"):
            yield f"'{verb} {preposition}' can be true of several."
    if roles == {PLACE} and _has_indefinite_object(old) and _has_indefinite_object(new):
        yield f"'{verb}' has no definite object, so it can be true in several places."
    if roles == {AGENT} and _is_undated_prize(comparison):
        yield "A prize or title without a year can have been won by several."
    if roles == {PLACE} and len(verbs) == 1 and verbs & MANY_PLACES:
        yield f"'{verb}' can be done in several places."


def _has_indefinite_object(reading: Reading) -> bool:
    """Tell whether the main verb has an object without 'the' or an owner: has an office, owned land."""
    if reading.verb is None or reading.copular or reading.passive:
        return False
    ahead = [word for word in reading.words[reading.verb + 1 :] if not word.text.endswith("ly")]
    return (
        bool(ahead)
        and (ahead[0].text in ("a", "an", "several", "many") or ahead[0].content)
        and not ahead[0].text.endswith("ed")
    )


def _is_undated_prize(comparison: Comparison) -> bool:
    """Tell whether both facts name the winner of something that can be won again, and no year or edition."""
    dated = any(reading.values.dates or reading.values.quantities for reading in (comparison.old, comparison.new))
    texts = comparison.old.lowered
    single = bool(find_phrases(texts, _SINGLE_CONTESTS))
    said = comparison.old.verb_labels | comparison.new.verb_labels
    return bool(comparison.shared_labels & said & {"win", "award"}) and not dated and not single


def _are_descriptions(comparison: Comparison, opposition: Opposition) -> bool:
    """Tell whether two words only describe the subject: is a port, is a spa town; is popular, is scenic."""
    sides = ((comparison.old, opposition.old_at), (comparison.new, opposition.new_at))
    return all(reading.copular and _is_indefinite(reading, at) for reading, at in sides)


def _is_indefinite(reading: Reading, position: int) -> bool:
    """Tell whether a word stands behind the verb with 'a', or with nothing between."""
    index = reading.index_at(position)
    between = [word.text for word in reading.words[(reading.verb or 0) + 1 : index]]
    following = reading.words[index + 1] if index + 1 < len(reading.words) else None
    office = "a" not in between and "an" not in between and following is not None and following.content
    return not set(between) - {"a", "an", "very", "quite", "also"} and index > (reading.verb or 0) and not office


def _recurs(comparison: Comparison) -> str:
    """Return why the event can have happened at both dates, '' when it happens once."""
    text = comparison.old.lowered
    if find_phrases(text, _RECURRING) and find_phrases(text, _CONTEST):
        return "The event recurs, so both dates can be right."
    return ""


def _verb_word(reading: Reading) -> str:
    return reading.words[reading.verb].text if reading.verb is not None else "the verb"
