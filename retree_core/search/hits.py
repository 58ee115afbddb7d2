"""Make hits of what a search provider returns: plain text, safe links, no two the same."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

from retree_core.calls import Hit
from retree_core.llm.strict_json import clean

_TAGS = "a|b|br|code|em|font|i|li|mark|p|s|small|span|strong|sub|sup|u|ul|wbr"
_TAG = re.compile(rf"</?(?:{_TAGS})(?:\s[^<>]*)?/?>", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]")
_BREAK = re.compile(r"<(?:br|p|li)(?:\s[^<>]*)?/?>", re.IGNORECASE)


def plain(snippet: Any) -> str:
    """Return a snippet as text: known tags removed, then entities unescaped once, blanks run together, no controls.

    >>> plain("AT&amp;T &#39;x&#39; <b>bold</b> &lt;b&gt; &amp;lt;")
    "AT&T 'x' bold <b> &lt;"
    """
    if not isinstance(snippet, str):
        return ""
    bare = _TAG.sub("", _BREAK.sub(" ", snippet))
    return " ".join(_CONTROL.sub("", clean(html.unescape(bare))).split())


def link(url: Any) -> str | None:
    """Return `url` if it is a http or https link with a host, else None."""
    if not isinstance(url, str) or any(character.isspace() or not character.isprintable() for character in url):
        return None
    try:
        parts = urlsplit(url)
        return url if parts.scheme in ("http", "https") and parts.hostname else None
    except ValueError:
        return None


def hit(title: Any, text: Any, url: Any, published: Any = None) -> Hit | None:
    """Return a hit from a provider's fields, or None if it says nothing."""
    name, body = plain(title), plain(text)
    if not (name or body):
        return None
    return Hit(title=name, text=body or name, url=link(url), published=plain(published) or None)


def distinct(hits: Iterable[Hit | None], limit: int) -> tuple[Hit, ...]:
    """Return the first `limit` hits, in order, without repeated links and repeated texts."""
    kept: list[Hit] = []
    seen: set[str] = set()
    for each in hits:
        if len(kept) >= limit:
            break
        marks = _marks(each) if each else set()
        if each and not marks & seen:
            kept.append(each)
            seen |= marks
    return tuple(kept)


def _marks(each: Hit) -> set[str]:
    text = " ".join(unicodedata.normalize("NFKC", each.text).casefold().split())
    return {f"text {text}"} | ({f"url {each.url.partition('#')[0].rstrip('/')}"} if each.url else set())
