"""What several panels are made of: sections, chips, excerpts of passages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from retree_core.memory import Evidence, Passage, Source
from retree_core.secrets import redact
from retree_core.why import Change, Quoted
from retree_core.why.standing import fate_words
from retree_viz.html import Child, Html, join, link, spans, tag, text
from retree_viz.panels.icons import icon, of_event, tone
from retree_viz.panels.ways import at
from retree_viz.words import markup, ref

SHORT = 420
"""Characters of a passage shown beside a fact."""
SLACK = 1.2
"""A text hardly longer than its limit is shown whole."""
LONG = 4000
"""Characters of a passage shown on its own."""
LONGEST_TEXT = 20_000
"""Characters of any other text shown before it is cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """A window of a text with the marked ranges that fall into it."""

    text: str
    marks: tuple[tuple[int, int], ...]
    before: int
    """Characters left out before the window."""
    after: int


def excerpt(whole: str, marks: Sequence[tuple[int, int]], limit: int) -> Excerpt:
    """At most `limit` characters of a text around its first mark, cut at white space where there is some.

    >>> excerpt("one two three four", [(8, 13)], 13).text
    'two three'
    """
    if len(whole) <= limit * SLACK:
        return Excerpt(text=whole, marks=tuple(marks), before=0, after=0)
    first = marks[0] if marks else (0, 0)
    start = max(0, min(first[0] - (limit - (first[1] - first[0])) // 2, len(whole) - limit))
    end = min(len(whole), start + limit)
    start = _border(whole, start, first[0]) if start else 0
    end = max(whole.rfind(" ", max(first[1], start), end), min(first[1], end)) if end < len(whole) else end
    end = end if end > start else min(len(whole), start + limit)
    inside = tuple((max(a, start) - start, min(b, end) - start) for a, b in marks if a < end and b > start)
    return Excerpt(text=whole[start:end], marks=inside, before=start, after=len(whole) - end)


def _border(whole: str, start: int, at_most: int) -> int:
    if whole[start - 1].isspace():
        return start
    found = whole.find(" ", start, max(at_most, start))
    return found + 1 if found >= 0 else start


def cut(value: str, limit: int = LONGEST_TEXT) -> Html:
    """The text, or its start with a note of its length."""
    if len(value) <= limit:
        return text(value)
    start = redact(value)[:limit]  # half a key would not be known for one
    return join(start, "… ", cut_note(limit, len(value)))


def cut_note(shown: int, total: int) -> Html | None:
    """How much of a text is shown; None where all of it is."""
    if shown >= total:
        return None
    return tag("span", f"{shown:,} of {total:,} characters shown", cls="cutnote")


def passage_body(passage: Passage, marks: Iterable[tuple[int, int]], limit: int) -> Html:
    """A passage's text with its quoted spans marked, cut around the first."""
    found = excerpt(passage.text, sorted(marks), limit)
    return join(
        "… " if found.before else None,
        spans(found.text, found.marks),
        " …" if found.after else None,
        cut_note(len(found.text), len(passage.text)),
    )


def source_block(quoted: Quoted) -> Html:
    """Title, host, date and the passage with the quote marked; says so where either is missing."""
    source, passage = quoted.source, quoted.passage
    if passage is None:
        return tag("div", flag("warning", f"passage {source.passage} is not in the record"), quote(source), cls="pp")
    marks = [(source.start, source.end)] if source.start is not None and source.end is not None else []
    return tag("div", *heading(passage), passage_body(passage, marks, SHORT), quote(source), cls="pp")


def heading(passage: Passage) -> tuple[Html, ...]:
    """Title and origin of a passage."""
    address = link(passage.url) if passage.url else tag("span", "no address", cls="url none")
    date = tag("span", passage.published, cls="num") if passage.published else tag("span", "no date", cls="none")
    return (
        tag("span", tag("span", passage.title or "(no title)"), ref(passage.id, cls="quiet"), cls="src"),
        tag("span", address, date, cls="origin"),
    )


def quote(source: Source) -> Html | None:
    """The quote as the extractor gave it, where it could not be found in the passage."""
    if source.located:
        return None
    said = (
        join("the extractor quoted “", cut(source.quote, 300), "”") if source.quote else "the extractor quoted nothing"
    )
    return tag("div", flag("warning", "span not located"), tag("span", said, cls="quoted"), cls="unlocated")


def flag(kind: str, label: str, tone: str = "refuse") -> Html:
    """A small warning with its sign."""
    return tag("span", icon(kind, "s"), label, cls=f"flag {tone}")


def said(mark: str, *words: Child, tone: str = "") -> Html:
    """A remark with its sign."""
    return tag("p", icon(mark, "s"), tag("span", *words), cls=f"said {tone}".strip())


def table(names: Iterable[Child], lines: Iterable[Child], cls: str = "") -> Html:
    """Lines of cells under a heading for each column."""
    head = tag("tr", *(tag("th", name, scope="col") for name in names))
    return tag("table", tag("thead", head), tag("tbody", *lines), cls=cls)


def section(title: Child, *body: Child, aside: Child = None, cls: str = "") -> Html:
    """A titled part of the inspector."""
    head = tag("h3", tag("span", title), tag("span", aside, cls="aside") if aside else None) if title else None
    return tag("section", head, *body, cls=f"sec {cls}".strip())


def rows(pairs: Iterable[tuple[str, Child]]) -> Html:
    """Names and values in two columns; rows with nothing to say are left out."""
    return tag(
        "dl", *(join(tag("dt", name), tag("dd", value)) for name, value in pairs if value is not None), cls="rows"
    )


def history_list(lines: Iterable[Change], moment: int | None = None) -> Html:
    """Events in order, each number a way to its moment; those after `moment` are dimmed."""
    items = (
        tag(
            "li",
            at(one.moment, ""),
            tag("span", icon(of_event(one.kind), "s"), cls=tone(one.kind)),
            tag("span", markup(one.words)),
            cls="later" if moment is not None and one.moment > moment else "",
        )
        for one in lines
    )
    return tag("ol", *items, cls="hist")


def chip(one: Evidence, more: str = "") -> Html:
    """An evidence id that shows by border, strike and word what became of it."""
    states = {"pruned": "ghost", "set_aside": "aside", "absorbed": "aside", "duplicate": "aside", "new": "fresh"}
    repaired = one.current.number > 1
    cls = f"chip {states.get(one.fate, '')} {'rep' if repaired else ''} {more}".strip()
    label = tag("span", one.id, tag("b", f"r{one.current.number}", cls="rev") if repaired else None)
    return tag("button", label, cls=cls, type="button", data_do=f"select:{one.id}", title=fate_words(one))


def empty(title: str, advice: str) -> Html:
    """What a panel shows when it has nothing, and what to do about it."""
    return tag("div", tag("b", title), tag("p", advice), cls="empty")
