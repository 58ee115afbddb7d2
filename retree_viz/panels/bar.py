"""The bar above the debugger, and the line that says the current event in words."""

from __future__ import annotations

from retree_core.trace import OtherRecord
from retree_viz.html import Html, join, tag
from retree_viz.panels.icons import icon, of_event, tone
from retree_viz.panels.pieces import cut
from retree_viz.run import Run
from retree_viz.words import count, markup, sentence

_AGENTS = {"retree": "ReTree", "react": "ReAct", "flat": "FlatUpdate", "report": "ReportMemory"}
KNOWN_ASIDES = ("stopped", "rewound", "resumed")
"""Kinds of record that are no event and no call, and no surprise: a run that was stopped and one resumed leave them."""
GOOD = ("answered",)


def agent_name(agent: str) -> str:
    return _AGENTS.get(agent, agent)


def brand() -> Html:
    """The name of the app; leads to the gallery."""
    return tag("button", icon("tree"), "ReTree", type="button", cls="brand", data_do="gallery:", title="all runs")


def top_bar(run: Run, moment: int, *, live: bool = False) -> Html:
    """Question, agent, what answered the calls, how it ended, and the moment."""
    header = run.trace.header
    settings = header.settings
    copy = tag("button", icon("link"), tag("span", "Copy link"), type="button", cls="btn", data_copy="link")
    return tag(
        "div",
        brand(),
        tag("span", cls="vr"),
        tag("span", cut(header.question, 400), cls="q", title=header.question[:1000]),
        tag("span", "Agent ", tag("b", agent_name(settings.agent)), cls="tag"),
        tag(
            "span",
            cut(header.recorded_with or "not said", 40),
            cls="tag wide",
            title=f"calls answered by: {header.recorded_with[:400]}",
        ),
        tag("span", f"{settings.judge} judge", cls="tag wider"),
        end_chip(run, live=live),
        tag("span", cls="sp"),
        tag("span", "moment ", tag("b", f"{moment:,}"), f" of {run.total:,}", cls="moment"),
        tag("span", cls="vr"),
        tag("button", "Stop", type="button", cls="btn stop", data_do="stop:") if live else copy,
        cls="topbar",
    )


def end_chip(run: Run, *, live: bool = False) -> Html:
    """How the run ended, or that it goes on."""
    searches = f"{len(run.last.searches)} of {count(run.trace.header.settings.max_searches, 'search', 'searches')}"
    if live:
        return tag("span", icon("live", "s"), f"running · {searches}", cls="tag live")
    if run.last.ended is None:
        return tag(
            "span",
            icon("dash", "s"),
            f"not ended · {searches}",
            cls="tag bad",
            title="the record stops before the run did",
        )
    status = run.last.ended.status
    good = status in GOOD
    mark = icon("check" if good else "clock" if status == "budget_exhausted" else "warning", "s")
    return tag(
        "span",
        mark,
        f"{status.replace('_', ' ')} · {searches}",
        cls="tag ok" if good else "tag bad",
        title=run.last.ended.detail[:400],
    )


def event_line(run: Run, moment: int) -> Html:
    """The current event in words."""
    event = run.event(moment)
    if event is None:
        words: Html = tag("span", "Nothing has happened yet.")
        mark = icon("dash")
    else:
        words, mark = tag("span", markup(sentence(event, run.at(moment)))), icon(of_event(event.kind))
    return tag(
        "div",
        tag("b", str(moment), cls="mono num"),
        tag("span", mark, cls=tone(event.kind) if event else "mut"),
        words,
        cls="words",
        role="status",
        aria_live="polite",
    )


def starting() -> Html:
    """What is shown until the first record is on disk."""
    return tag(
        "div",
        brand(),
        tag("span", cls="vr"),
        tag("span", "Starting: the model server and the search backend are asked who they are …"),
        cls="topbar",
    )


def notices(run: Run, message: str = "") -> Html:
    """What a person should know before trusting the record."""
    trace = run.trace
    found = [message] if message else []
    found += trace.notices
    if trace.damage:
        lines = ", ".join(str(one.line) for one in trace.damage[:5]) + (", …" if len(trace.damage) > 5 else "")
        found.append(f"{count(len(trace.damage), 'damaged record')} left out (line {lines}): {trace.damage[0].reason}")
    unknown = (one.raw.get("record") for one in trace.records if isinstance(one, OtherRecord))
    others = sum(kind not in KNOWN_ASIDES for kind in unknown)
    if others:
        found.append(f"{count(others, 'record')} of an unknown kind left out of the picture")
    if trace.stopped:
        found.append(f"the run was stopped before its end: {trace.stopped}")
    problems = run.last.problems
    if problems:
        rest = f", and {len(problems) - 1} more" if len(problems) > 1 else ""
        found.append(f"the record does not fit together: {problems[0]}{rest}")
    return join(
        *(tag("div", icon("warning", "s"), tag("span", cut(one, 300)), cls="notice", role="alert") for one in found)
    )
