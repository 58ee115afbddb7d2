"""Text tools without any I/O: normal forms, overlap, cutting, quoting, and the values a text states."""

from retree_core.text.counts import count
from retree_core.text.cut import cut_label, cut_words
from retree_core.text.normal import LONGEST_READ, comparable, normalise, tokens
from retree_core.text.ranking import Item, top_k
from retree_core.text.spans import Span, locate
from retree_core.text.support import unsupported_values
from retree_core.text.values import values_in

__all__ = [
    "LONGEST_READ",
    "Item",
    "Span",
    "comparable",
    "count",
    "cut_label",
    "cut_words",
    "locate",
    "normalise",
    "tokens",
    "top_k",
    "unsupported_values",
    "values_in",
]
