"""Calls: those made just before an event, one of them, or all of the run; word for word."""

from __future__ import annotations

from retree_core import events as ev
from retree_core.calls import ModelCall
from retree_core.text import count
from retree_core.why.calls import CallLine
from retree_viz.html import Child, Html, join, tag
from retree_viz.panels.call_list import ALL, call_list
from retree_viz.panels.call_one import marks, model_call
from retree_viz.panels.call_search import call_of_search, search_call
from retree_viz.panels.icons import icon
from retree_viz.panels.pieces import empty, said, section
from retree_viz.panels.ways import stepper, to_call, to_moment
from retree_viz.run import Run

MOST_AT_ONCE = 8
"""Calls before one event that are shown in full; one search makes about six."""


def calls(run: Run, moment: int, chosen: int | None = None, listing: str = "") -> Html:
    """The Calls panel: one call, else a list of all, else the calls made just before an event (or the last ones)."""
    total = len(run.call_lines)
    if not total:
        return empty(
            "No calls in this record.", "Traces written by `retree run` hold every call; this one has events only."
        )
    one = run.call_lines[chosen - 1] if chosen is not None and 1 <= chosen <= total else None
    if one is not None:
        shown = _call(run, one, opened=True)
    else:
        shown = call_list(run, moment, listing) if listing else _before(run, moment)
    return tag("div", _bar(run, listing, one), shown, cls="cp")


def title(run: Run, moment: int, chosen: int | None = None, listing: str = "") -> tuple[Html, str]:
    """Heading of the panel and the line below it."""
    lines = run.call_lines
    if chosen is not None and 1 <= chosen <= len(lines):
        line = lines[chosen - 1]
        kind = "search call" if line.role == "search" else f"{line.role} call"
        where = f"before event {line.moment}" if line.moment else "the record ends here"
        return tag("span", f"Call {chosen}, {kind}"), where
    if listing and lines:
        return tag("span", "All calls"), f"{count(len(lines), 'call')} of this run"
    made = len(run.calls_at(moment))
    return tag(
        "span", "Calls"
    ), f"{count(made, 'call')} just before event {moment}" if made else "none just before this event"


def _bar(run: Run, listing: str, one: CallLine | None) -> Html:
    """Which calls are shown, and the way from one to the next."""
    here = not listing and one is None
    before = _switch("At this event", "calls:", chosen=here)
    every = _switch(f"All {len(run.call_lines):,}", f"calls:{listing or ALL}", chosen=bool(listing) and one is None)
    steps = _steps(one.number, len(run.call_lines)) if one else None
    return tag("div", tag("div", before, every, cls="seg", role="group"), tag("span", cls="sp"), steps, cls="call-bar")


def _switch(label: str, wish: str, *, chosen: bool) -> Html:
    return tag("button", label, type="button", aria_pressed="true" if chosen else "false", data_do=wish)


def _steps(number: int, total: int) -> Html:
    before = f"call:{number - 1}" if number > 1 else None
    after = f"call:{number + 1}" if number < total else None
    return stepper("call", number, total, (before, after))


def _before(run: Run, moment: int) -> Html:
    at = run.moment_with_calls(moment)
    if at is None:
        return join(
            _repeat(run, moment), empty("No call was made up to here.", "Step forward: the first is the policy's.")
        )
    made = [run.call_lines[number - 1] for number, _ in run.calls_at(at)]
    note = tag("p", "None just before this event; these led to event ", to_moment(at), ".", cls="mut lead-note")
    more = len(made) - MOST_AT_ONCE
    return join(
        _repeat(run, moment),
        section(None, note) if at != moment else None,
        *(_call(run, one, opened=len(made) == 1) for one in made[:MOST_AT_ONCE]),
        section(
            None, tag("p", f"{count(more, 'more call')} led to this event; they are in the list of all.", cls="mut")
        )
        if more > 0
        else None,
    )


def _repeat(run: Run, moment: int) -> Html | None:
    """Says that a search was served from the record, without a call."""
    event = run.event(moment)
    if not isinstance(event, ev.PassagesRetrieved) or event.repeat_of is None:
        return None
    first = call_of_search(run, event.repeat_of)
    source: Child = to_call(first) if first else f"search {event.repeat_of}"
    words = (f"Search {event.search} repeats search {event.repeat_of}: no call was made, ", source, " served it.")
    return section(None, said("pair", *words))


def _call(run: Run, line: CallLine, *, opened: bool) -> Html:
    model = isinstance(line.record.call, ModelCall)
    name = tag("span", icon("call" if model else "search", "s"), tag("b", line.role), " model call" if model else None)
    figures = tag("span", f"call {line.number:,} · {line.record.seconds:.2f} s", cls="aside num")
    head = tag("summary", name, marks(line) if line.marked else None, figures)
    return tag("details", head, model_call(run, line) if model else search_call(run, line), cls="call", open=opened)
