"""The bearers of one name: what facts say that tells them apart."""

from __future__ import annotations

import re
from typing import Final

from retree_core.judging.sameness import stem, stems
from retree_core.text import normalise
from retree_core.text.values import read_values

_QUALIFIER: Final = re.compile(
    r"(?:, (?P<place>[A-Z]\w+(?: [A-Z]\w+)?)(?=[,.;]|$)| \((?P<kind>[^()]*[^\W\d_][^()]*)\)|, the (?P<trade>[a-z]\w+),)"
)
"""What may follow a name to say which of its bearers is meant."""
_OPENING_PLACE: Final = re.compile(r", (?P<place>[A-Z]\w+(?: [A-Z]\w+)?)(?= [a-z])")
"""The same without a second comma, behind a name that opens the fact: Springfield, Illinois has ..."""
_NUMERAL: Final = re.compile(r"[ivxl]+|\d+")


def of_one_house(x: tuple[str, ...], y: tuple[str, ...]) -> bool:
    """Whether two names differ in the first name before one surname, or in the number behind one name."""
    if len(x) < 2 or len(y) < 2:
        return False
    numbered = x[:-1] == y[:-1] and x[-1] != y[-1] and all(_NUMERAL.fullmatch(one[-1]) for one in (x, y))
    return numbered or (x[-1] == y[-1] and x[0] != y[0])


def qualifiers(fact: str) -> dict[str, str]:
    """What tells the bearers of one name apart: 'Springfield, Illinois', 'J. Smith (actor)', 'J. Smith, the judge,'."""
    values = read_values(fact)
    found = {}
    for one in values.names:
        if match := _QUALIFIER.match(values.text[one.end :]):
            found[one.key] = match["place"] or match["kind"] or match["trade"]
        elif one.start == 0 and (match := _OPENING_PLACE.match(values.text[one.end :])):
            found[one.key] = match["place"]
    return found


def names_besides(fact: str, answer: str) -> list[tuple[str, ...]]:
    """The names in a fact, each in its words, that are not in its answer."""
    answered = stems(answer)
    names = [tuple(normalise(word) for word in one.words) for one in read_values(fact).names]
    return [one for one in names if one and not {stem(word) for word in one} & answered]
