"""Guards against repairs between statements about different times or scopes."""

import re
from typing import Final

from retree_core.judging.compare import Comparison
from retree_core.judging.cues import ONE_SIDED, SCOPE_GROUPS, STATEMENT_ANTONYMS
from retree_core.judging.facts import GuardResult
from retree_core.judging.opposed import Opposition, oppositions
from retree_core.judging.phrases import find_phrases
from retree_core.judging.reading import Reading, Word
from retree_core.judging.synonyms import akin
from retree_core.judging.uses import NumberUse, date_uses
from retree_core.text.wordlists import word_set

VARYING: Final = word_set(
    "population staff chief mayor president minister governor chair monarch coach conductor captain principal bishop reside work rank revenue "
    "profit loss capital largest highest oldest longest circulation base ground owner own capacity score vote champion religion party membership"
)
"""Attributes whose value changes with time."""
ONCE: Final = word_set(
    "birth death burial found discover invent design write compose paint sculpt publish build open begin complete illustrate demolish "
    "consecrate create close"
)
"""Events that happen once, so that their date is a value."""
_SETTING_WORDS: Final = word_set("in on at for during under among with within")
_PRESENT: Final = word_set("is are has have lives works resides leads heads runs plays employs serves holds owns")
_PRESENT_CUES: Final = word_set("current currently today presently incumbent")
_PAST: Final = word_set("was were had lived worked resided led headed ran played employed served held owned")


def cue_word_one_side(comparison: Comparison) -> GuardResult:
    """Veto when a word of one fact alone sets it in another time, plan, area, part or version."""
    name = "cue_word_one_side"
    for kind, phrases in ONE_SIDED.items():
        old, new = _cues(comparison.old, phrases, comparison.new), _cues(comparison.new, phrases, comparison.old)
        only_old, only_new = [cue for cue in old if cue not in new], [cue for cue in new if cue not in old]
        if only_old and not new or only_new and not old:
            cue, where = (only_old[0], "stored") if only_old else (only_new[0], "new")
            return GuardResult(name=name, passed=False, detail=f"Only the {where} fact says '{cue}' ({kind}).")
        if only_old and only_new:
            detail = f"The stored fact says '{only_old[0]}', the new one '{only_new[0]}' ({kind})."
            return GuardResult(name=name, passed=False, detail=detail)
    return GuardResult(name=name, passed=True, detail="No cue word sets one fact in another time, plan or scope.")


def different_time(comparison: Comparison) -> GuardResult:
    """Veto when the facts speak of different times and something else differs as well.

    A date that is itself the disputed value does not veto: 'opened in 1931' against 'opened in 1934'.
    """
    others = [opposition for opposition in oppositions(comparison) if opposition.kind != "date"]
    for pair in comparison.dates:
        old, new = pair.old.date.written, pair.new.date.written
        once = bool(pair.old.labels & pair.new.labels & ONCE) and not (pair.old.qualifies or pair.new.qualifies)
        if others and not (once and all(other.kind == "name" for other in others)):
            return _vetoed_time(f"The facts speak of different times: '{old}' and '{new}'.")
        if (
            pair.old.qualifies != pair.new.qualifies
            or pair.old.preposition != pair.new.preposition
            and pair.old.qualifies
        ):
            return _vetoed_time(f"'{old}' and '{new}' each set the time of a statement; they are not its value.")
    if others and _dated_differently(comparison):
        return _vetoed_time("Both facts are dated, and not in the same way.")
    if others and comparison.shared_labels & VARYING:
        return _time_on_one_side(comparison)
    return GuardResult(name="different_time", passed=True, detail="The facts do not speak of different times.")


def _dated_differently(comparison: Comparison) -> bool:
    """Tell whether dates that set the time of a statement are not the same on both sides: until 1992, from 1992 on."""
    old, new = (
        {(use.preposition, use.date.key) for use in date_uses(reading)} for reading in (comparison.old, comparison.new)
    )
    qualified = any(use.qualifies for reading in (comparison.old, comparison.new) for use in date_uses(reading))
    return bool(old and new and old != new and qualified)


def _time_on_one_side(comparison: Comparison) -> GuardResult:
    """Veto a changing attribute when only one fact is dated, or one is in the past and one in the present."""
    old, new = comparison.old, comparison.new
    if bool(old.values.dates) != bool(new.values.dates):
        date = (old.values.dates or new.values.dates)[0].written
        return _vetoed_time(f"Only one fact is dated ('{date}'), and the attribute changes with time.")
    before, after = _tense(old), _tense(new)
    if before and after and before != after:
        return _vetoed_time(f"The stored fact is in the {before} tense, the new one in the {after} tense.")
    return GuardResult(name="different_time", passed=True, detail="The facts do not speak of different times.")


def different_scope(comparison: Comparison) -> GuardResult:
    """Veto when two things differ at once: the value, and a word that says which part, group or version is meant."""
    found = oppositions(comparison)
    for opposition in found:
        if opposition.kind in SCOPE_GROUPS and _in_subjects(comparison, opposition):
            return _vetoed_scope(f"One fact is about '{opposition.old}', the other about '{opposition.new}'.")
        others = [other for other in found if other.kind != opposition.kind and other.kind != "negation"]
        if (
            opposition.kind in SCOPE_GROUPS
            and (others or comparison.loose_numbers)
            and not _inside_value(comparison, opposition)
        ):
            return _vetoed_scope(
                f"The facts differ in '{opposition.old}' and '{opposition.new}' as well as in the value."
            )
    turned = next((o for o in found if o.kind == "antonym" and o.old not in STATEMENT_ANTONYMS), None)
    if turned is not None and any(o.kind in ("number", "date", "name") for o in found):
        return _vetoed_scope(f"The facts differ in '{turned.old}' and '{turned.new}' as well as in the value.")
    setting = _setting_words(comparison) if found else None
    if setting is not None:
        return _vetoed_scope(f"One fact holds for '{setting[0]}', the other for '{setting[1]}'.")
    aside = next((pair for pair in comparison.numbers if _sets_scene(pair.old) and _sets_scene(pair.new)), None)
    if aside is not None and len(found) > 1:
        return _vetoed_scope(f"'{aside.old.written}' and '{aside.new.written}' say for what the value holds.")
    narrowed = next((text for pair in comparison.numbers if (text := _narrowed(pair.old, pair.new))), "")
    if narrowed:
        return _vetoed_scope(narrowed)
    modifiers = _subject_modifiers(comparison) if any(o.kind in ("number", "date") for o in found) else None
    if modifiers is not None:
        return _vetoed_scope(f"The subjects differ: '{modifiers[0]}' and '{modifiers[1]}'.")
    return _different_setting(comparison)


def _in_subjects(comparison: Comparison, opposition: Opposition) -> bool:
    """Tell whether contrasting words stand before the main verb on both sides: the novel ends, the film ends."""
    sides = ((comparison.old, opposition.old), (comparison.new, opposition.new))
    return all(
        reading.verb is not None and word in reading.lowered[: reading.words[reading.verb].start]
        for reading, word in sides
    )


def _sets_scene(use: NumberUse) -> bool:
    """Tell whether a number only says when or for which member something holds: at thirty, the 12th dynasty."""
    return use.scene or (use.quantity.unit == "ordinal" and use.before_verb)


def _setting_words(comparison: Comparison) -> tuple[str, str] | None:
    """Return the differing nouns of the phrases the facts open with: on land, in water."""
    old, new = (_opening_noun(reading) for reading in (comparison.old, comparison.new))
    if old is None or new is None or _has(comparison.new, old) or _has(comparison.old, new):
        return None
    return old.text, new.text


def _opening_noun(reading: Reading) -> Word | None:
    """Return the first content word after the preposition a fact opens with."""
    if not reading.words or reading.words[0].text not in _SETTING_WORDS:
        return None
    return next((word for word in reading.words[1:4] if word.content), None)


def _different_setting(comparison: Comparison) -> GuardResult:
    """Veto when values differ and so do the places in which they hold: 'In Europe ...', 'In Japan ...'."""
    settings = [
        pair
        for pair in comparison.names
        if _opens(pair.old.start, comparison.old) and _opens(pair.new.start, comparison.new)
    ]
    others = [pair for pair in comparison.names if pair not in settings]
    for pair in settings:
        beside = [other for other in others if other.old != pair.old and other.new != pair.new]
        if comparison.numbers or comparison.dates or beside:
            return _vetoed_scope(f"One fact holds for '{pair.old.written}', the other for '{pair.new.written}'.")
    return GuardResult(
        name="different_scope", passed=True, detail="Both facts are about the same part, group and version."
    )


def _opens(start: int, reading: Reading) -> bool:
    return reading.index_at(start) < reading.body


def _cues(reading: Reading, phrases: frozenset[str], other: Reading) -> list[str]:
    """Return the cue phrases outside names, one form for singular and plural.

    'not completed until 1880' only dates the completion; 'current' adds nothing to what the other fact says in the
    present tense.
    """
    text = reading.lowered
    for name in reading.names:
        if len(name.words) > 1:
            text = text[: name.start] + "\x00" * (name.end - name.start) + text[name.end :]
    text = re.sub(r"\bnot (?:\w+ ){1,3}until\b", "", text)
    idle = _PRESENT_CUES if _tense(other) == "present" else frozenset()
    return [phrase.rstrip("s") for phrase in find_phrases(text, phrases) if phrase not in idle]


def _inside_value(comparison: Comparison, opposition: Opposition) -> bool:
    """Tell whether the words stand right before a disputed name: 'the pianist Karl', 'the violinist Jan'."""
    return any(
        opposition.old in comparison.old.lowered[max(0, pair.old.start - 24) : pair.old.start]
        and opposition.new in comparison.new.lowered[max(0, pair.new.start - 24) : pair.new.start]
        for pair in comparison.names
    )


def _narrowed(old: NumberUse, new: NumberUse) -> str:
    """Return why a count is of a narrower kind: 45 schools, 12 primary schools; '' when it is not."""
    if old.noun != new.noun or old.quantity.unit:
        return ""
    only_old, only_new = old.modifiers - new.modifiers, new.modifiers - old.modifiers
    if only_old and only_new and not any(akin(a, b) for a in only_old for b in only_new):
        return f"'{old.written}' and '{new.written}' count different kinds."
    if only_new and new.quantity.amount < old.quantity.amount:
        return f"'{new.written}' counts a narrower kind than '{old.written}'."
    if only_old and old.quantity.amount < new.quantity.amount:
        return f"'{old.written}' counts a narrower kind than '{new.written}'."
    return ""


def _subject_modifiers(comparison: Comparison) -> tuple[str, str] | None:
    """Return the differing words right before a noun both subjects share: main building, research building."""
    for old_word, old_head in _modified(comparison.old):
        for new_word, new_head in _modified(comparison.new):
            differ = not akin(old_word.stem, new_word.stem)
            unseen = not _has(comparison.new, old_word) and not _has(comparison.old, new_word)
            if old_head.stem == new_head.stem and differ and unseen:
                return f"{old_word.text} {old_head.text}", f"{new_word.text} {new_head.text}"
    return None


def _modified(reading: Reading) -> list[tuple[Word, Word]]:
    """Return (modifier, noun) for neighbouring content words before the main verb."""
    end = reading.verb if reading.verb is not None else 0
    subject = reading.words[reading.body : end]
    return [(a, b) for a, b in zip(subject, subject[1:], strict=False) if a.content and b.content and not a.owner]


def _has(reading: Reading, word: Word) -> bool:
    return any(akin(word.stem, other.stem) for other in reading.words)


def _tense(reading: Reading) -> str:
    """Return 'present' or 'past' for a main verb whose tense is certain, else ''."""
    if reading.verb is None:
        return ""
    word = reading.words[reading.verb].text
    if word in _PRESENT:
        return "present"
    return "past" if word in _PAST else ""


def _vetoed_time(detail: str) -> GuardResult:
    return GuardResult(name="different_time", passed=False, detail=detail)


def _vetoed_scope(detail: str) -> GuardResult:
    return GuardResult(name="different_scope", passed=False, detail=detail)
