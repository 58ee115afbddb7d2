"""All calls of a run: totals by role, which are the filter too, and the calls in order, a page at a time."""

from __future__ import annotations

from collections.abc import Sequence

from retree_core.calls import ModelCall
from retree_core.text import count
from retree_core.why.calls import CallLine, Total, total, totals
from retree_viz.html import Child, Html, join, tag
from retree_viz.panels.call_one import NOT_SAID, marks
from retree_viz.panels.icons import icon
from retree_viz.panels.pieces import cut, section, table
from retree_viz.place import number
from retree_viz.run import Run

PAGE = 100
"""Calls on a page."""
ALL, MARKED = "all", "marked"
"""What can be listed besides the calls of one role."""


def call_list(run: Run, moment: int, listing: str) -> Html:
    """Totals and the page of calls that `listing` names, such as `policy.2`."""
    lines = run.call_lines
    kind, _, page = listing.partition(".")
    chosen = [one for one in lines if kind in (ALL, one.role) or (kind == MARKED and one.marked)]
    if not chosen and kind != MARKED:
        kind, chosen = ALL, list(lines)
    last = max(0, (len(chosen) - 1) // PAGE)
    at = min(max((number(page) or 1) - 1, 0), last)
    shown = chosen[at * PAGE : (at + 1) * PAGE]
    return join(
        section("By role", _totals(lines, kind), aside="choose a role to list its calls"),
        section(
            _name(kind),
            _pager(kind, at, last, len(chosen)),
            _table(shown, moment, by_model=bool(run.trace.header.settings.handovers)),
            aside=_range(at, shown, chosen),
        ),
    )


def _name(kind: str) -> str:
    return {ALL: "All calls in order", MARKED: "Calls with a mark"}.get(kind, f"Calls of {kind}")


def _range(at: int, shown: Sequence[CallLine], chosen: Sequence[CallLine]) -> str:
    if not shown:
        return "none"
    return f"{at * PAGE + 1:,} to {at * PAGE + len(shown):,} of {len(chosen):,}"


def _totals(lines: Sequence[CallLine], kind: str) -> Html:
    marked = [one for one in lines if one.marked]
    rows = [_total_row(one.role, one, kind) for one in totals(lines)]
    foot = [_total_row(ALL, total(ALL, lines), kind)]
    if marked:
        foot.append(_total_row(MARKED, total(MARKED, marked), kind))
    uncounted, thought = total(ALL, lines).uncounted, sum(one.thought for one in lines)
    note = f"{count(uncounted, 'call')} without a token count: the sums are lower bounds."
    thoughts = f"{count(thought, 'reply', 'replies')} with thoughts, though thinking was off."
    return join(
        table(("Role", "Calls", "In", "Cached", "Out", "Seconds"), [*rows, *foot], "totals"),
        tag("p", note, cls="mut") if uncounted else None,
        tag("p", thoughts, cls="mut") if thought else None,
    )


def _total_row(name: str, one: Total, kind: str) -> Html:
    chosen = name == kind
    label = {ALL: "all calls", MARKED: "with a mark"}.get(name, name)
    button = tag(
        "button",
        label,
        type="button",
        cls="go" if not chosen else "go on",
        aria_pressed="true" if chosen else "false",
        data_do=f"calls:{name}",
    )
    cached = "" if name == "search" else f"{one.cached_tokens:,}" if one.cached_tokens is not None else "–"
    tokens = ("", "") if name == "search" else (_sum(one.prompt_tokens, one), _sum(one.completion_tokens, one))
    cells = (f"{one.calls:,}", tokens[0], cached, tokens[1], f"{one.seconds:,.1f}")
    titled = (tag("td", cell, title=NOT_SAID if cell == "–" else None) for cell in cells)
    cls = " ".join(filter(None, ("on" if chosen else "", "sum" if name in (ALL, MARKED) else "")))
    return tag("tr", tag("th", button, scope="row"), *titled, cls=cls)


def _sum(tokens: int, one: Total) -> str:
    return "–" if one.uncounted and not tokens else f"≥ {tokens:,}" if one.uncounted else f"{tokens:,}"


def _pager(kind: str, at: int, last: int, total: int) -> Html | None:
    if not last:
        return None
    return tag(
        "div",
        _turn("Earlier", f"calls:{kind}.{at}", disabled=at == 0),
        tag("span", f"page {at + 1} of {last + 1}", cls="num mut"),
        _turn("Later", f"calls:{kind}.{at + 2}", disabled=at == last),
        cls="pages",
    )


def _turn(label: str, wish: str, *, disabled: bool) -> Html:
    return tag("button", label, type="button", cls="btn", data_do=wish, disabled=disabled)


def _table(lines: Sequence[CallLine], moment: int, *, by_model: bool) -> Html:
    if not lines:
        return tag("p", "No call failed, was tried again, edited, refused, empty or made for nothing.", cls="mut")
    return table(
        ("Call", "Role", "Event", "In", "Out", "Seconds"),
        (_row(one, moment, by_model=by_model) for one in lines),
        "call-list",
    )


def _row(line: CallLine, moment: int, *, by_model: bool) -> Html:
    """A call; which model it was sent to is said where the run had more than one."""
    call = line.record.call if by_model else None
    model = cut(str(call.body.get("model") or ""), 60) if isinstance(call, ModelCall) else None
    open_ = tag("button", str(line.number), type="button", cls="go", aria_label=f"call {line.number}, {line.role}")
    role: Child = join(icon("search" if line.role == "search" else "call", "s"), line.role)
    here = line.moment == moment
    later = line.moment is None or line.moment > moment
    cells = (
        tag(
            "td",
            tag("span", role, cls="role"),
            tag("div", model, cls="mut") if model else None,
            marks(line) if line.marked else None,
        ),
        tag("td", str(line.moment) if line.moment else "none", title="the event it led to"),
        tag("td", _tokens(line, line.usage.prompt_tokens)),
        tag("td", _tokens(line, line.usage.completion_tokens)),
        tag("td", f"{line.record.seconds:.2f}"),
    )
    cls = " ".join(filter(None, ("here" if here else "later" if later else "", "marked" if line.marked else "")))
    return tag("tr", tag("th", open_, scope="row"), *cells, cls=cls, data_do=f"call:{line.number}")


def _tokens(line: CallLine, tokens: int | None) -> Child:
    if line.role == "search" or line.failed:
        return ""
    return tag("span", "–", title=NOT_SAID) if tokens is None else f"{tokens:,}"
