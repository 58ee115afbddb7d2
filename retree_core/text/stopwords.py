"""English words that carry no content for lexical overlap."""

from typing import Final

from retree_core.text.wordlists import word_set

STOPWORDS: Final = word_set(
    """
    a an the this that these those there here
    i me my we us our you your he him his she her hers it its they them their theirs who whom whose which what
    is am are was were be been being do does did done has have had having
    can could will would shall should may might must
    of in on at by for with from to into onto as about than then over under up down out off
    and or but nor so if because while when where why how
    not no
    also just very too only own same such both each any some all more most other
    s t d ll re ve m
    """
) - {"us", "m", "not", "no"}
"""Words dropped by `tokens`. Negations stay (they change what a text says), and so does 'us' (a country)."""
