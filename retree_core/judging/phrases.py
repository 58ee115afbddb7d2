"""Finding listed words and phrases in a text."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from retree_core.judging.cues import ANTONYMS, GROUPS


@lru_cache(maxsize=64)
def _pattern(phrases: frozenset[str]) -> re.Pattern[str]:
    written = sorted(phrases, key=lambda phrase: (-len(phrase), phrase))
    return re.compile("|".join(_bordered(phrase) for phrase in written))


def _bordered(phrase: str) -> str:
    start = r"(?<![\w'\u2019])" if phrase[0].isalnum() else ""
    end = r"(?![\w])" if phrase[-1].isalnum() else ""
    return start + re.escape(phrase).replace(r"\ ", r"[ -]").replace("'", "['\u2019]") + end


def find_phrases(text: str, phrases: frozenset[str]) -> tuple[str, ...]:
    """Return the phrases that occur in `text` (lower case), in reading order, longest first where they overlap.

    >>> find_phrases("the former mayor, until 1990", frozenset({"former", "until"}))
    ('former', 'until')
    """
    return tuple(match.group() for match in _pattern(phrases).finditer(text))


def spans_of(text: str, phrases: frozenset[str]) -> tuple[tuple[int, int], ...]:
    """Return where the phrases occur in `text` (lower case)."""
    return tuple(match.span() for match in _pattern(phrases).finditer(text))


def _members(groups: Mapping[str, Iterable[str]]) -> dict[str, dict[str, str]]:
    return {name: {form: row.split("|")[0] for row in rows for form in row.split("|")} for name, rows in groups.items()}


MEMBERS = _members(GROUPS)
"""Group -> written form -> the idea it stands for."""
ANTONYM_FORMS = tuple((frozenset(a.split("|")), frozenset(b.split("|"))) for a, b in ANTONYMS)


def members_of(group: str, text: str) -> dict[str, str]:
    """Return idea -> written form, for the members of a contrast group that `text` (lower case) names.

    >>> members_of("colour", "its scarlet and grey coat")
    {'red': 'scarlet', 'grey': 'grey'}
    """
    forms = MEMBERS[group]
    found = find_phrases(text, frozenset(forms))
    return {forms.get(form.replace("\u2019", "'"), form): form for form in found}
