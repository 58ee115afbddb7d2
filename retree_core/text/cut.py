"""Cutting texts to a bound without breaking a word or what the reader sees as one character."""

from retree_core.text.graphemes import clusters

ELLIPSIS = "\u2026"


def cut_words(text: str, words: int, characters: int) -> str:
    """Return the start of `text`: at most `words` words and at most `characters` code points.

    White space is tidied. The cut falls at a word border; only a word longer than the whole bound (a text without
    spaces) is cut inside, and then between two grapheme clusters. An empty or blank text gives ''.

    >>> cut_words("one  two three four", 3, 100)
    'one two three'
    >>> cut_words("one two three four", 9, 9)
    'one two'
    """
    whole = text.split()
    kept = " ".join(whole[: max(words, 0)])
    return kept if len(kept) <= characters else _cut_characters(kept, characters)


def cut_label(text: str, characters: int) -> str:
    """Return `text` on one line in at most `characters` code points, ending in an ellipsis if it was cut.

    >>> cut_label("The evidence tree", 11)
    'The eviden\\u2026'
    >>> cut_label("The evidence tree", 14)
    'The evidence\\u2026'
    """
    tidy = " ".join(text.split())
    if len(tidy) <= characters:
        return tidy
    room = characters - len(ELLIPSIS)
    by_word = _cut_characters(tidy, room)
    kept = by_word if len(by_word) >= 0.7 * room else _cut_clusters(tidy, room)
    return kept.rstrip() + ELLIPSIS if room >= 0 else ""


def _cut_characters(text: str, characters: int) -> str:
    """Cut at the last word border within the bound, or inside the first word if it alone is longer."""
    head = _cut_clusters(text, characters)
    if len(head) == len(text) or text[len(head)] == " ":
        return head.rstrip()
    at_border, space, _ = head.rpartition(" ")
    return at_border.rstrip() if space else head


def _cut_clusters(text: str, characters: int) -> str:
    kept: list[str] = []
    size = 0
    for cluster in clusters(text[: max(characters, 0) + 1]):
        size += len(cluster)
        if size > characters:
            break
        kept.append(cluster)
    return "".join(kept)
