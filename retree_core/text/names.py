"""Proper names in a text: runs of capitalised words, in one form for all their spellings."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from retree_core.text.aliases import ALIASES, COMPANY_ENDINGS, INSTITUTIONS, ROLES, SHORT_WORDS, TITLES
from retree_core.text.dates import MONTHS
from retree_core.text.normal import without_accents
from retree_core.text.numerals import ONES, ORDINAL_WORDS, TENS
from retree_core.text.stopwords import STOPWORDS
from retree_core.text.wordlists import word_set

_WORD: Final = re.compile(
    r"(?:[A-Z]\.){2,}(?:[A-Z]\b)?|(?:St|Ste|Mt|Dr|Mr|Mrs|Ms|Prof|Jr|Sr|No|Ft|Bros|Co|Inc|Corp|Ltd)\.(?=[ ,])"
    r"|[^\W\d_]\.(?= ?[^\W\d_])|[^\W_]+(?:['\u2019][^\W_]+)*(?:-[^\W_]+)*|&"
)
_LINKS: Final = word_set(
    "of the de da do di del della van von der den ter la le du des dos al el bin ibn y e zu & upon on"
)
_OPENING_WORDS: Final = word_set(
    """
    monday tuesday wednesday thursday friday saturday sunday not no never although though since until however according
    originally formerly currently today now former construction work there despite unlike like during before after
    between among both many most several few some one first it its he she they nobody none nothing everyone everybody
    somebody someone anyone scientists astronomers critics voters visitors residents water smoking nearly almost roughly
    approximately over under at least
    """
)
_NOT_NAMES: Final = (STOPWORDS | MONTHS.keys() | ONES.keys() | TENS.keys() | ORDINAL_WORDS.keys() | _OPENING_WORDS) - {
    "us",
    "may",
}
_QUOTED: Final = re.compile(
    r"[\"\u201c\u00ab](?P<title>[^\W_][^\"\u201c\u201d\u00ab\u00bb]{0,60}?)[,.]?[\"\u201d\u00bb]"
)
_COMMON_ENDINGS: Final = ("tion", "tions", "ment", "ments", "ness", "ing", "ly", "sion", "ists", "ers")


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """A proper name."""

    key: str
    """Lower case, without accents, titles and articles; one form for known aliases."""
    words: tuple[str, ...]
    """The words of the key that tell it apart: no links such as 'of'."""
    written: str
    """As it stands in the text."""
    sure: bool
    """False for a single word that may be capitalised only because it opens a sentence."""
    start: int
    end: int


def find_names(text: str, taken: Sequence[tuple[int, int]] = ()) -> tuple[Name, ...]:
    """Return the proper names of an NFKC text, in order, outside the stretches already taken (dates, units).

    >>> [name.key for name in find_names("The U.S. senator Maria da Silva climbed Mt. Harrow")]
    ['united states', 'maria da silva', 'mount harrow']
    """
    titles = [_title(match) for match in _QUOTED.finditer(text)]
    taken = [*taken, *((title.start - 1, title.end + 1) for title in titles)]
    words = list(_WORD.finditer(text))
    if taken:
        words = [word for word in words if not any(a < word.end() and word.start() < b for a, b in taken)]
    runs: list[list[re.Match[str]]] = []
    run: list[re.Match[str]] = []
    for index, word in enumerate(words):
        if run and not _goes_on(run[-1], word, words[index + 1 : index + 3], text):
            runs.append(run)
            run = []
        if run or _is_capitalised(word.group()):
            run.append(word)
        if run and _ends_possessive(word, words[index + 1 : index + 2]):
            runs.append(run)
            run = []
    names = (_name(tidy, text) for each in (*runs, run) if (tidy := _tidy(each, text)))
    found = [*titles, *(name for name in names if name.key)]
    return tuple(sorted(found, key=lambda name: name.start))


def _title(match: re.Match[str]) -> Name:
    """Return a quoted phrase as a name, small letters or not."""
    written = match["title"]
    key = name_key(written)
    words = tuple(word for word in key.split() if word not in _LINKS) or (key,)
    return Name(key=key, words=words, written=written, sure=True, start=match.start("title"), end=match.end("title"))


def _goes_on(last: re.Match[str], word: re.Match[str], following: list[re.Match[str]], text: str) -> bool:
    """Tell whether `word` continues the run that ends with `last`."""
    between = text[last.end() : word.start()]
    if between.strip() or not between:
        return False
    if last.group().endswith(".") and len(last.group()) > 5:
        return False
    if _is_capitalised(word.group()) or (word.group().isdigit() and len(word.group()) < 4):
        return True
    if word.group() not in _LINKS:
        return False
    reach = [word, *following]
    for before, after in pairwise(reach):
        if text[before.end() : after.start()] != " ":
            return False
        if _is_capitalised(after.group()):
            return True
        if after.group() not in _LINKS:
            return False
    return False


def _ends_possessive(word: re.Match[str], following: list[re.Match[str]]) -> bool:
    """Tell whether a name ends here as the owner of something: France's (but not St. Mary's before Church)."""
    owned = following[0].group().lower() if following else ""
    return bool(re.search(r"['\u2019]s$", word.group())) and owned not in INSTITUTIONS


def _is_capitalised(word: str) -> bool:
    return word[0].isupper() or (len(word) > 1 and word[1].isupper() and word[0].islower())


def _tidy(run: list[re.Match[str]], text: str) -> list[re.Match[str]]:
    """Drop words from the ends that are no part of a name: an article, a number alone, a link."""
    while run and (_is_no_start(run) or run[0].group().isdigit()):
        run = run[1:]
    while run and not _is_numeral(run) and (run[-1].group() in _LINKS or _is_no_end(run[-1].group())):
        run = run[:-1]
    if len(run) == 1 and _opens_sentence(run[0], text) and run[0].group().lower().endswith(_COMMON_ENDINGS):
        return []
    return run


def _is_no_end(word: str) -> bool:
    return word.lower() in _NOT_NAMES and not _is_acronym(word)


def _is_no_start(run: list[re.Match[str]]) -> bool:
    """Tell whether the first word of a run is not part of the name: an article, a title, an office."""
    first = run[0].group().lower().rstrip(".")
    following = run[1].group() if len(run) > 1 else ""
    if first in ROLES:
        return True
    if first in TITLES:
        return _is_capitalised(following) if following else True
    if first in _LINKS and not run[0].group()[0].isupper():
        return True
    if (first in MONTHS or first in ("first", "second", "third", "one")) and _is_capitalised(following or "a"):
        return False
    return first in _NOT_NAMES and not _is_acronym(run[0].group())


def _is_numeral(run: list[re.Match[str]]) -> bool:
    """Tell whether a run ends in the numeral of a ruler: Elizabeth I."""
    return len(run) > 1 and run[-1].group() in ("I", "V", "X")


def _is_acronym(word: str) -> bool:
    return len(word) > 1 and word.replace(".", "").isupper()


def _opens_sentence(word: re.Match[str], text: str) -> bool:
    before = text[: word.start()].rstrip(" \"'(\u201c\u2018")
    return not before or before[-1] in ".!?:\n"


def _name(run: list[re.Match[str]], text: str) -> Name:
    start, end = run[0].start(), run[-1].end()
    written = re.sub(r"['\u2019]s$", "", text[start:end])
    key = name_key(written)
    sure = len(run) > 1 or not _opens_sentence(run[0], text) or _is_acronym(run[0].group())
    words = tuple(word for word in key.split() if word not in _LINKS)
    return Name(key=key, words=words, written=written, sure=sure, start=start, end=start + len(written))


def name_key(written: str) -> str:
    """Return the one form of a name: lower case, no accents, titles, articles or dots; aliases united.

    >>> name_key("St. Mary's"), name_key("the USA"), name_key("U.S."), name_key("Acme Inc.")
    ('saint marys', 'united states', 'united states', 'acme')
    """
    plain = re.sub(r"[^\w& ]", "", re.sub(r"(?<=\w)-(?=\w)", " ", without_accents(written.lower())))
    words = [SHORT_WORDS.get(word, word) for word in plain.split()]
    while len(words) > 1 and (words[0] == "the" or (words[0] in TITLES and words[1] not in _LINKS)):
        words = words[1:]
    while len(words) > 1 and words[-1] in COMPANY_ENDINGS:
        words = words[:-1]
    key = " ".join(words)
    return ALIASES.get(key, ALIASES.get(plain, key))
