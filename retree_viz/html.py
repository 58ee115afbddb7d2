"""Markup that is safe to show, whatever the data holds.

Everything in a trace came from a model, a page or a file name, so it is text and nothing else. Markup is a
type of its own: `tag` and `join` escape every plain string they are given, so a forgotten escape cannot happen.

>>> tag("b", "<img src=x>", cls="q")
'<b class="q">&lt;img src=x&gt;</b>'
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from html import escape
from urllib.parse import urlsplit

from retree_core.secrets import redact


class Html(str):
    """Markup made by this module; everything else is text and gets escaped."""

    __slots__ = ()


Child = str | Html | None

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
"""Characters that show nothing, or reorder or hide what is around them. Joiners stay: scripts and emoji need them."""

_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")

_NAME = re.compile(r"[a-z][a-z0-9-]*\Z")


def visible(value: object) -> str:
    """The text with hidden characters written out and keys taken out, for places that take plain text only.

    >>> visible("abc\\u202edef")
    'abc⟨U+202E⟩def'
    """
    return _HIDDEN.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", redact(str(value)))


def text(value: object) -> Html:
    """The value as literal text: escaped, hidden characters as marks, right-to-left text isolated, no keys."""
    raw = redact(str(value))
    escaped = _HIDDEN.sub(_mark, escape(raw))
    return Html(f"<bdi>{escaped}</bdi>" if _RIGHT_TO_LEFT.search(raw) else escaped)


def _mark(found: re.Match[str]) -> str:
    name = unicodedata.name(found[0], "control character").lower()
    return f'<span class="hidden-char" title="{name}">U+{ord(found[0]):04X}</span>'


def join(*children: Child) -> Html:
    """The children one after another; plain strings are escaped, None is nothing."""
    return Html("".join(one if isinstance(one, Html) else text(one) for one in children if one is not None))


def joined(separator: str, children: Iterable[Child]) -> Html:
    """The children with a separator (plain text) between them."""
    return Html(text(separator).join(join(one) for one in children))


def tag(name: str, *children: Child, cls: str = "", **attributes: str | int | bool | None) -> Html:
    """One element. `data_do="x"` is written `data-do`; attributes that are None or False are left out.

    >>> tag("i", aria_hidden="true", title='a"b')
    '<i aria-hidden="true" title="a&quot;b"></i>'
    """
    if cls:
        attributes = {"class": cls, **attributes}
    written = "".join(_attribute(key, value) for key, value in attributes.items())
    return Html(f"<{name}{written}>{join(*children)}</{name}>")


def _attribute(key: str, value: str | int | bool | None) -> str:
    key = key.rstrip("_").replace("_", "-")
    if not _NAME.match(key) or key.startswith("on") or key in ("href", "src", "style"):
        raise ValueError(f"attribute {key!r} may not be set from here")
    if value is None or value is False:
        return ""
    return f" {key}" if value is True else f' {key}="{escape(visible(value))}"'


def host(url: str) -> str | None:
    """Host of a web address as it is on the wire; None where the address is not http or https.

    >>> host("https://good.example@evil.example/"), host("java\\tscript:alert(1)")
    ('evil.example', None)
    """
    if not re.match(r"https?://", url, re.IGNORECASE) or re.search(r"[\s\\]", url) or _HIDDEN.search(url):
        return None
    try:
        name = urlsplit(url).hostname or ""
        return name.encode("idna").decode() if not name.isascii() else name or None
    except ValueError:
        return None


def link(url: str) -> Html:
    """A link with its host as the text; the address itself as text where it is no web address."""
    name = host(url)
    if name is None:
        return tag("span", text(redact(url)[:200]), cls="url bad", title="not a web address")
    address = escape(visible(url), quote=True)
    return Html(f'<a class="url" href="{address}" target="_blank" rel="noopener noreferrer">{text(name)}</a>')


def spans(value: str, marks: Iterable[tuple[int, int]], name: str = "mark") -> Html:
    """The text with the given ranges of characters in an element; ranges may overlap or lie outside of it."""
    if (clean := redact(value)) != value:
        return text(clean)  # a mark could cut a key in two, and stands elsewhere now
    at, parts = 0, []
    for start, end in sorted(marks):
        start, end = max(start, at), min(end, len(value))
        if start < end:
            parts += [text(value[at:start]), tag(name, value[start:end])]
            at = end
    return join(*parts, text(value[at:]))
