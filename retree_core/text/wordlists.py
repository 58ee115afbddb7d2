"""Reading word lists that are kept in the code."""


def in_order(text: str) -> tuple[str, ...]:
    """Return the words of `text` in order.

    >>> in_order("one two")
    ('one', 'two')
    """
    return tuple(text.split())


def word_set(text: str) -> frozenset[str]:
    """Return the words of `text` as a set.

    >>> sorted(word_set("north south"))
    ['north', 'south']
    """
    return frozenset(text.split())


def phrase_set(text: str) -> frozenset[str]:
    """Return the phrases of `text`, which commas or line ends set apart, as a set.

    >>> sorted(phrase_set("passed away, died"))
    ['died', 'passed away']
    """
    phrases = (" ".join(phrase.split()) for line in text.splitlines() for phrase in line.split(","))
    return frozenset(phrase for phrase in phrases if phrase)
