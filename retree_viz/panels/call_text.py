"""Texts and values of calls, of any size and shape: folded, cut with a way to the whole, never run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from retree_core.text import count
from retree_core.trace.chat import said
from retree_viz.html import Child, Html, join, tag, visible
from retree_viz.panels.pieces import LONGEST_TEXT, cut, rows
from retree_viz.panels.ways import way

MOST_ITEMS = 50
"""Items of a list, or fields of an object, that are shown one by one."""
DEEPEST = 3
"""Levels of a value that are laid out; what is deeper is shown as JSON."""

FLAT = 160
"""Characters of an object that is laid out on one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One chat message as sent."""

    role: str
    content: str


def messages(body: Mapping[str, Any]) -> tuple[Message, ...]:
    """The messages of a request, whatever shape they have."""
    raw = body.get("messages")
    return tuple(
        Message(role=str(one.get("role", "?")), content=said(one))
        if isinstance(one, Mapping)
        else Message(role="?", content=str(one))
        for one in (raw if isinstance(raw, list | tuple) else ())
    )


def as_json(value: Any) -> str:
    """The value as indented JSON; whatever cannot be written so as Python shows it."""
    try:
        return json.dumps(value, ensure_ascii=False, indent=2, default=str)
    except (ValueError, RecursionError):
        return str(value)


def pretty(content: str) -> str:
    """JSON content indented, other content as it is."""
    try:
        value = json.loads(content) if content.lstrip()[:1] in ("{", "[") else None
    except (ValueError, RecursionError):
        value = None
    return content if value is None else as_json(value)


def whole(value: str, number: int) -> Html:
    """A text of a call; a very long one is cut, says so, and offers the whole call as a file."""
    if len(value) <= LONGEST_TEXT:
        return tag("pre", value or "(empty)")
    button = way("Get it whole …", f"call_json:{number}")
    return join(tag("pre", cut(value)), tag("p", button, cls="get-whole"))


def folded(name: Child, value: str, number: int, *, opened: bool = False, cls: str = "") -> Html:
    """A text under its name and length, to be opened."""
    head = tag("summary", tag("b", name), tag("span", count(len(value), "character"), cls="aside num"))
    return tag("details", head, whole(value, number), cls=f"fold {cls}".strip(), open=opened)


def laid_out(value: Any, depth: int = 0, *, inline: bool = True) -> Child:
    """A JSON value as rows and lists that read well; a short object stands on one line where `inline` allows."""
    if isinstance(value, str):
        return cut(value) if value else tag("span", "(empty)", cls="none")
    if isinstance(value, bool | int | float) or value is None:
        return tag("span", json.dumps(value), cls="mono")
    if depth >= DEEPEST or not isinstance(value, Mapping | list | tuple):
        return tag("span", cut(as_json(value)), cls="mono")
    if isinstance(value, Mapping):
        if depth and inline and _is_flat(value):
            pairs = (tag("span", tag("span", f"{name} ", cls="mut"), laid_out(one)) for name, one in value.items())
            return tag("span", *pairs, cls="inline-value")
        shown = list(value.items())[:MOST_ITEMS]
        named = [(visible(name)[:80], laid_out(one, depth + 1)) for name, one in shown]
        return join(rows(named), _more(len(value))) if named else tag("span", "{}", cls="mono")
    short = all(isinstance(one, Mapping) and _is_flat(one) for one in value)  # the items of a list look alike
    items = [tag("li", laid_out(one, depth + 1, inline=short)) for one in value[:MOST_ITEMS]]
    return join(tag("ol", *items, cls="items"), _more(len(value))) if items else tag("span", "none", cls="none")


def _is_flat(value: Mapping[str, Any]) -> bool:
    """A few short values, which fit on a line."""
    plain = all(isinstance(one, str | bool | int | float) or one is None for one in value.values())
    return plain and 0 < len(value) <= 4 and len(str(value)) <= FLAT


def _more(total: int) -> Html | None:
    return tag("span", f"{total - MOST_ITEMS:,} more in the JSON", cls="cutnote") if total > MOST_ITEMS else None
