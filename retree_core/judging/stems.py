"""A light English stemmer: enough that 'designed', 'designs' and 'design' meet."""

from functools import lru_cache
from typing import Final

_IRREGULAR: Final = {
    form: lemma
    for lemma, forms in {
        "write": "wrote written", "build": "built", "win": "won", "lose": "lost", "begin": "began begun",
        "die": "dying died dies", "bury": "buried", "buy": "bought", "sell": "sold", "make": "made", "take": "took taken",
        "hold": "held", "lead": "led", "fight": "fought", "find": "found", "speak": "spoke spoken", "sing": "sang sung",
        "rise": "rose risen", "lie": "lying lay lain lies", "come": "came", "go": "went gone", "give": "gave given", "get": "got gotten",
        "stand": "stood", "sit": "sat", "run": "ran", "become": "became", "teach": "taught", "catch": "caught",
        "bring": "brought", "think": "thought", "say": "said", "know": "known knew", "grow": "grew grown",
        "draw": "drew drawn", "fall": "fell fallen", "eat": "ate eaten", "leave": "left", "meet": "met", "marry": "married",
        "bear": "bore", "shoot": "shot", "strike": "struck", "sink": "sank sunk", "steal": "stole stolen",
        "person": "people persons", "child": "children", "man": "men", "woman": "women", "foot": "feet", "wife": "wives",
        "half": "halves", "leaf": "leaves", "life": "lives_noun", "bacterium": "bacteria", "have": "has had having",
        "be": "is are was were been being am", "do": "does did done", "keep": "kept", "pay": "paid", "tell": "told",
        "send": "sent", "spend": "spent", "wear": "wore worn", "choose": "chose chosen", "drive": "drove driven",
        "fly": "flew flown flies", "lay": "laid", "show": "shown", "swim": "swam swum", "wed": "wedded", "tooth": "teeth",
        "mouse": "mice", "goose": "geese", "break": "broke broken", "hide": "hid hidden", "bind": "bound",
        "arise": "arose", "use": "used using uses", "see": "saw seen", "feed": "fed", "read": "reads", "sleep": "slept", "feel": "felt", "mean": "meant", "dwell": "dwelt",
    }.items()
    for form in forms.split()
}  # fmt: skip
_VOWELS: Final = frozenset("aeiouy")


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """Return what the forms of a word (lower case) have in common; not always a word itself.

    >>> stem("designed") == stem("designs") == stem("designing") == stem("design")
    True
    >>> stem("written") == stem("writes") == stem("wrote")
    True
    >>> stem("cities") == stem("city"), stem("stopped") == stem("stop")
    (True, True)
    """
    if word in _IRREGULAR:
        return _trim(_IRREGULAR[word])
    if not word.isalpha() or len(word) < 4:
        return word
    for ending, least in (("ing", 3), ("ed", 3)):
        base = word.removesuffix(ending)
        if base != word and len(base) >= least and any(letter in _VOWELS for letter in base):
            return _trim(base)
    if word.endswith("ies") and len(word) > 4:
        return _trim(word[:-3] + "y")
    if word.endswith(("ches", "shes", "xes", "sses", "zes", "oes")):
        return _trim(word[:-2])
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return _trim(word[:-1])
    return _trim(word)


def is_irregular(word: str) -> bool:
    """Tell whether a word is an irregular form, such as 'wrote'."""
    return word in _IRREGULAR


def _trim(base: str) -> str:
    """Drop a doubled last consonant, a final e, and let final y and i meet."""
    if len(base) > 3 and base[-1] == base[-2] and base[-1] not in _VOWELS and base[-1] not in "ls":
        base = base[:-1]
    if len(base) > 3 and base.endswith("e"):
        base = base[:-1]
    return base[:-1] + "i" if len(base) > 3 and base.endswith("y") else base
