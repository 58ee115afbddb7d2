"""Guards against repairs between facts about another entity or another attribute."""

from typing import Final

from retree_core.judging.compare import Comparison, DatePair, NamePair
from retree_core.judging.facts import GuardResult
from retree_core.judging.opposed import Opposition, oppositions, outside_names
from retree_core.judging.phrases import find_phrases
from retree_core.judging.reading import Reading, Word
from retree_core.judging.relations import PHRASES
from retree_core.judging.roles import AGENT
from retree_core.judging.stems import stem
from retree_core.judging.synonyms import akin
from retree_core.judging.verbs import ATTRIBUTE_HEADS, COPULAS, MANY_AGENTS, PARTICIPLES, PROFESSIONS
from retree_core.text.wordlists import word_set

_PRONOUNS: Final = word_set("he she it they his her their its him them this these")
_ELECTED: Final = frozenset({"appoint", "crown", "award"})
_PREPOSITIONS: Final = word_set("in at on near to from with for by of as into during since after before over under")
_LEADING: Final = _PREPOSITIONS | word_set("a an the its his her their this that these those two three four five six")
_TYING: Final = word_set("of against about on for to")
_DEFINITE: Final = word_set("the its his her their our")
_SELF_EXPLAINING: Final = frozenset(
    {"colour", "material", "creature", "feeding", "matter", "rock", "genre", "government"}
)


def other_entity(comparison: Comparison) -> GuardResult:
    """Veto when the facts are about different things, persons or parts."""
    reason = (
        _different_subjects(comparison)
        or _different_ordinals(comparison)
        or _different_holders(comparison)
        or _longer_compound(comparison)
        or _different_persons(comparison)
        or _nothing_in_common(comparison)
    )
    if reason:
        return GuardResult(name="other_entity", passed=False, detail=reason)
    return GuardResult(name="other_entity", passed=True, detail="Both facts can be about the same entity.")


def other_attribute(comparison: Comparison) -> GuardResult:
    """Veto when the facts are about different attributes of the entity."""
    found = oppositions(comparison)
    strong = [o for o in found if o.kind in ("negation", "antonym", "swap", "number")]
    if found and not strong:
        reason = _two_holdings(comparison) or _different_attributes(comparison, found)
        if reason:
            return GuardResult(name="other_attribute", passed=False, detail=reason)
    return GuardResult(name="other_attribute", passed=True, detail="Both facts can be about the same attribute.")


def _different_subjects(comparison: Comparison) -> str:
    """Return why the subjects are different, '' when they are not or may be the disputed value."""
    for pair in comparison.names:
        if not _both_before_verb(pair, comparison):
            continue
        beside = comparison.numbers or _other_kinds(comparison)
        if beside or not (_same_deed(comparison, pair) or _same_description(comparison)):
            return f"The stored fact is about '{pair.old.written}', the new one about '{pair.new.written}'."
    return ""


def _different_ordinals(comparison: Comparison) -> str:
    """Return why ordinals before the verb set the subjects apart, '' when nothing else differs or none do."""
    for pair in comparison.numbers:
        if pair.old.quantity.unit == "ordinal" and len(oppositions(comparison)) > 1:
            ends = [r.words[r.verb].start if r.verb is not None else 0 for r in (comparison.old, comparison.new)]
            if pair.old.quantity.start < ends[0] and pair.new.quantity.start < ends[1]:
                return f"The stored fact is about the {pair.old.written}, the new one about the {pair.new.written}."
    return ""


def _other_kinds(comparison: Comparison) -> bool:
    return any(opposition.kind not in ("name", "date") for opposition in oppositions(comparison))


def _both_before_verb(pair: NamePair, comparison: Comparison) -> bool:
    old, new = comparison.old, comparison.new
    if old.verb is None or new.verb is None:
        return False
    return old.index_at(pair.old.start) < old.verb and new.index_at(pair.new.start) < new.verb


def _same_deed(comparison: Comparison, pair: NamePair) -> bool:
    """Tell whether both subjects are said to have done one thing that only one can do: A designed it, B designed it."""
    old, new = comparison.old, comparison.new
    if _ELECTED & comparison.shared_labels and old.passive and new.passive:
        return True
    acts = pair.old_role == AGENT and pair.new_role == AGENT
    single = not {old.verb_stem, new.verb_stem} & (MANY_AGENTS | {"hav", "be"})
    return acts and single and _has_object(old) and _has_object(new) and _anchored(comparison)


def _has_object(reading: Reading) -> bool:
    """Tell whether something follows the main verb without a preposition."""
    if reading.verb is None:
        return False
    ahead = [word for word in reading.words[reading.verb + 1 :] if not word.text.endswith("ly")]
    return bool(ahead) and ahead[0].text not in _PREPOSITIONS


def _same_description(comparison: Comparison) -> bool:
    """Tell whether both subjects are said to be the one thing of a description: A is the mayor, B is the mayor."""
    return all(_is_definite(reading) for reading in (comparison.old, comparison.new)) and _anchored(comparison)


def _is_definite(reading: Reading) -> bool:
    if reading.verb is None or reading.words[reading.verb].text not in COPULAS:
        return False
    ahead = reading.words[reading.verb + 1 : reading.verb + 2]
    return bool(ahead) and (ahead[0].text in _DEFINITE or ahead[0].owner)


def _anchored(comparison: Comparison) -> bool:
    """Tell whether the facts share something to be about: a name or a noun."""
    if comparison.shared_names:
        return True
    counted = {number.old.noun for number in comparison.numbers} | {number.new.noun for number in comparison.numbers}
    for here, there in ((comparison.old, comparison.new), (comparison.new, comparison.old)):
        nouns = [word for word in _nouns(here) if word.stem not in counted]
        others = [word for word in there.words if (word.content or _in_name(there, word)) and word.stem not in counted]
        if any(akin(a.stem, b.stem) for a in nouns for b in others):
            return True
    return False


def _nouns(reading: Reading) -> list[Word]:
    """Return the words that can be what the fact is about: before the main verb, or no verb form."""
    return [
        word
        for index, word in enumerate(reading.words)
        if _in_name(reading, word)
        or (word.content and index != reading.verb and (index < (reading.verb or 0) or _is_object(reading, index)))
    ]


def _is_object(reading: Reading, index: int) -> bool:
    """Tell whether a word after the verb is a noun: an article, a preposition or an owner stands before it."""
    word = reading.words[index]
    before = reading.words[max(0, index - 2) : index]
    led = any(other.text in _LEADING or other.owner for other in before)
    return led and not word.text.endswith(("ed", "ly")) and word.text not in PARTICIPLES


def _in_name(reading: Reading, word: Word) -> bool:
    return any(name.start <= word.start < name.end for name in reading.names)


def _different_holders(comparison: Comparison) -> str:
    """Return why one fact is about a part or relative of what the other is about, '' when it is not."""
    for here, there in ((comparison.old, comparison.new), (comparison.new, comparison.old)):
        for head, owner in _held(here):
            known = any(akin(head.stem, word.stem) for word in there.words)
            labels = PHRASES.get((head.stem,), frozenset())
            shared_owner = _mentions(there, owner)
            if shared_owner and not known and not labels & there.labels and head.stem not in ATTRIBUTE_HEADS:
                return f"One fact is about the {head.text} of '{owner}', the other about '{owner}' or something else of it."
    return ""


def _held(reading: Reading) -> list[tuple[Word, str]]:
    """Return (held thing, holder) before the main verb: X's husband, the main span of the bridge."""
    end = reading.verb if reading.verb is not None else len(reading.words)
    subject = reading.words[reading.body : end]
    held: list[tuple[Word, str]] = []
    for index, word in enumerate(subject):
        if word.owner:
            phrase = [other for other in subject[index + 1 :]]
            cut = next(
                (i for i, other in enumerate(phrase) if other.text in _PREPOSITIONS or other.text == "and"), len(phrase)
            )
            if phrase[:cut] and phrase[:cut][-1].content:
                held.append((phrase[:cut][-1], word.text))
        if word.text in _TYING and index and subject[index - 1].content:
            holder = next((o.text for o in reversed(subject[index + 1 :]) if o.text not in ("the", "a", "an")), "")
            held.append((subject[index - 1], holder))
    return held


def _longer_compound(comparison: Comparison) -> str:
    """Return why one subject only begins like the other: the county, the county seat."""
    for here, there in ((comparison.old, comparison.new), (comparison.new, comparison.old)):
        long, short = _subject(here), _subject(there)
        if len(long) < 2 or not short or long[-2].owner or not akin(long[-2].stem, short[-1].stem):
            continue
        head = long[-1]
        labels = PHRASES.get((head.stem,), frozenset())
        if (
            head.content
            and head.stem not in ATTRIBUTE_HEADS
            and not labels & there.labels
            and not _mentions(there, head.text)
        ):
            return f"One fact is about '{short[-1].text}', the other about '{long[-2].text} {head.text}'."
    return ""


def _subject(reading: Reading) -> list[Word]:
    """Return the words of the subject up to its first preposition, articles left out."""
    words: list[Word] = []
    for word in reading.words[reading.body : reading.verb or 0]:
        if word.text in _PREPOSITIONS or word.text in ("which", "that", "who"):
            break
        if word.content or _in_name(reading, word):
            words.append(word)
    return words


def _mentions(reading: Reading, text: str) -> bool:
    return any(akin(word.stem, stem(text)) for word in reading.words)


def _different_persons(comparison: Comparison) -> str:
    """Return why two bearers of one name are different people: J. Smith the actor, J. Smith the judge."""
    if not comparison.names and not comparison.numbers and not comparison.dates:
        return ""
    old, new = (_profession_of_shared(comparison, side) for side in (0, 1))
    if old and new and old != new:
        return f"The name is shared, but one is '{old}' and the other '{new}'."
    return ""


def _profession_of_shared(comparison: Comparison, side: int) -> str:
    """Return the profession that stands right beside a shared name."""
    reading = (comparison.old, comparison.new)[side]
    text = outside_names(reading)
    for pair in comparison.shared_names:
        name = pair[side]
        nearby = text[max(0, name.start - 14) : name.start].split(",")[-1], text[name.end : name.end + 22]
        beside = find_phrases(nearby[0], PROFESSIONS), find_phrases(nearby[1], PROFESSIONS)
        if beside[0]:
            return beside[0][0]
        if beside[1] and nearby[1].lstrip().startswith((",", "(", "the ")):
            return beside[1][0]
    return ""


def _nothing_in_common(comparison: Comparison) -> str:
    """Return why the facts share no subject, '' when they do or a pronoun may stand for it."""
    if _anchored(comparison):
        return ""
    texts = (comparison.old, comparison.new)
    if any(word.text in _PRONOUNS for reading in texts for word in reading.words[:3]):
        return ""
    return "The facts share no name and no noun that both could be about."


def _two_holdings(comparison: Comparison) -> str:
    """Return why the facts are about two things of one holder: the mayor of Tarn, the police chief of Tarn."""
    for old_head, old_owner in _held(comparison.old):
        for new_head, new_owner in _held(comparison.new):
            old_labels, new_labels = (PHRASES.get((head.stem,), frozenset()) for head in (old_head, new_head))
            known = _mentions(comparison.new, old_head.text) or _mentions(comparison.old, new_head.text)
            one_owner = akin(stem(old_owner), stem(new_owner))
            plain = stem("work") in (old_head.stem, new_head.stem)
            unlabelled = not plain and not (old_labels & comparison.new.labels or new_labels & comparison.old.labels)
            if one_owner and unlabelled and not known and not akin(old_head.stem, new_head.stem):
                return f"One fact is about the {old_head.text} of '{old_owner}', the other about its {new_head.text}."
    return ""


def _different_attributes(comparison: Comparison, found: tuple[Opposition, ...]) -> str:
    """Return why the attributes differ, '' when they may be the same."""
    old, new = comparison.old, comparison.new
    dates = [pair for pair in comparison.dates if pair.old.labels and pair.new.labels]
    if dates and all(o.kind == "date" for o in found) and not any(_same_event(p) for p in dates):
        return f"The dates are of different events: {_named(dates[0].old.labels)} and {_named(dates[0].new.labels)}."
    done = old.verb_labels, new.verb_labels
    if all(done) and not done[0] & done[1] and not (done[0] & new.labels or done[1] & old.labels):
        return f"What is said to happen differs: {_named(done[0])} and {_named(done[1])}."
    if comparison.shared_labels:
        return ""
    same_verb = old.verb_stem == new.verb_stem and old.verb_stem not in ("", "hav")
    if (
        old.labels
        and new.labels
        and not (old.copular and new.copular and not old.labels & new.labels and _same_noun(comparison))
    ):
        if not (same_verb and old.verb_stem != "be"):
            return f"The facts are about different attributes: {_named(old.labels)} and {_named(new.labels)}."
    only_dates = all(o.kind == "date" for o in found)
    if (
        same_verb
        or _participants(comparison) > 1
        or (_same_noun(comparison) and not only_dates)
        or all(o.kind in _SELF_EXPLAINING for o in found)
    ):
        return ""
    return "The facts share no verb or attribute that the values could belong to."


def _same_event(pair: DatePair) -> bool:
    """Tell whether two dates can be of one event; 'took place' fits every event."""
    old, new = pair.old.labels, pair.new.labels
    return bool(old & new) or old == {"occur"} or new == {"occur"}


def _participants(comparison: Comparison) -> int:
    """Return how many names and nouns the facts share, verbs left out."""
    old = {word.stem for word in _nouns(comparison.old) if not _in_name(comparison.old, word)}
    new = {word.stem for word in _nouns(comparison.new) if not _in_name(comparison.new, word)}
    return len(comparison.shared_names) + sum(any(akin(a, b) for b in new) for a in old)


def _same_noun(comparison: Comparison) -> bool:
    """Tell whether the facts share a content word that is not just their subject's name."""
    return any(akin(a.stem, b.stem) for a in comparison.old.content for b in comparison.new.content)


def _named(labels: frozenset[str]) -> str:
    return "/".join(sorted(labels)[:3])
