"""Text tools without any I/O: normal forms, overlap, cutting, quoting, and the values a text states.

In here is what is light; `spans`, `support` and `values`, with their many patterns, are imported by their own names.
"""

from retree_core.text.counts import count
from retree_core.text.cut import cut_label, cut_words
from retree_core.text.normal import LONGEST_READ, comparable, normalise, tokens
from retree_core.text.overlap_index import OverlapIndex
from retree_core.text.ranking import Item, top_k

__all__ = [
    "LONGEST_READ",
    "Item",
    "OverlapIndex",
    "comparable",
    "count",
    "cut_label",
    "cut_words",
    "normalise",
    "tokens",
    "top_k",
]
