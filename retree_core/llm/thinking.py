"""Part a reply's thinking from what it says."""

from __future__ import annotations

from retree_core.llm.json_in_text import whole_object

_OPEN, _CLOSE = "<think>", "</think>"
_MOST_CLOSING_TAGS = 50


def split_thinking(text: str) -> tuple[str, str]:
    """Return (reasoning, content) of a reply that may hold its thoughts between or before think tags.

    A closing tag is enough, because chat templates put the opening one into the prompt. Normally the
    last closing tag counts. An earlier one counts if all that follows it is one JSON object, and text
    that is itself one JSON object holds no thoughts: there the tag is quoted data.

    >>> split_thinking('I should check dates.\\n</think>\\n{"action": "search"}')
    ('I should check dates.', '{"action": "search"}')
    >>> split_thinking('<think>half a thought')
    ('half a thought', '')
    """
    if whole_object(text) is not None:
        return "", text
    if _CLOSE not in text:
        thinking = text.lstrip().startswith(_OPEN)
        return (_bare(text), "") if thinking else ("", text)
    head, tail = _parted(text)
    if not tail.strip("`\r\n\t "):
        head, tail = _said_before_thinking(head, tail)
    return _bare(head), tail.strip()


def _parted(text: str) -> tuple[str, str]:
    pieces = text.split(_CLOSE)
    for count in range(1, min(len(pieces), _MOST_CLOSING_TAGS)):
        rest = _CLOSE.join(pieces[count:])
        if whole_object(rest) is not None:
            return _CLOSE.join(pieces[:count]), rest
    return _CLOSE.join(pieces[:-1]), pieces[-1]


def _said_before_thinking(head: str, tail: str) -> tuple[str, str]:
    said, tag, thought = head.partition(_OPEN)
    return (thought, said + tail) if tag and said.strip() else (head, tail)


def _bare(text: str) -> str:
    return text.replace(_OPEN, "").replace(_CLOSE, "").strip()
