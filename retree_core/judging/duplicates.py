"""Restatements: the same fact again, in other case, spacing, punctuation or format."""

from retree_core.text.normal import normalise, tokens
from retree_core.text.values import values_in


def is_duplicate(old: str, new: str) -> bool:
    """Tell whether two facts differ only in case, spacing, punctuation or the format of their values.

    >>> is_duplicate("The lake covers 1,234 km2.", "the lake covers 1234 square kilometres")
    True
    >>> is_duplicate("Velmora is the capital.", "Velmora is not the capital.")
    False
    """
    if normalise(old) == normalise(new):
        return True
    return values_in(old) == values_in(new) and set(tokens(old)) == set(tokens(new))
