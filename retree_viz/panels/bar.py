"""The bar above the debugger, and the line that says the current event in words."""

from __future__ import annotations

from retree_core.text import count
from retree_core.trace import OtherRecord, Trace
from retree_core.trace.answered import answered_by as told
from retree_viz.html import Child, Html, join, tag, visible
from retree_viz.making import Making
from retree_viz.noted import UNNOTED, Noted
from retree_viz.panels.icons import icon, of_event, tone
from retree_viz.panels.noted import marks_at
from retree_viz.panels.origin import needs_model
from retree_viz.panels.pieces import cut
from retree_viz.run import Run
from retree_viz.words import markup, sentence

_AGENTS = {"retree": "ReTree", "react": "ReAct", "flat": "FlatUpdate", "report": "ReportMemory"}
KNOWN_ASIDES = ("stopped", "rewound", "resumed")
"""Kinds of record that are no event and no call, and no surprise: a run that was stopped and one resumed leave them."""
GOOD = ("answered",)
MOST_WHOLE = 32
"""Letters of a question that is never cut."""


STANDING = Making()
"""Of a run that nobody is making."""


def agent_name(agent: str) -> str:
    return _AGENTS.get(agent, agent)


def answered_by(recorded_with: str) -> Child:
    """What answered a run's calls, as short as a chip."""
    first, later, others = recorded_with.partition(", from call ")
    first = "scripted" if first.strip().lower().startswith("scripted") else first
    return cut(f"{first}{later}{others}", 120) if later else cut(first, 60)


def brand(key: str | None = "x") -> Html:
    """The name of the app; leads to the gallery."""
    return tag(
        "button",
        icon("tree"),
        "ReTree",
        type="button",
        cls="brand",
        data_do="gallery:",
        data_key=key,
        title=f"all runs ({key})" if key else "all runs",
    )


def top_bar(run: Run, moment: int, making: Making = STANDING, view: str = "tree") -> Html:
    """Question, agent, what answered the calls, how it ended, the moment, and what can be done with the run."""
    header = run.trace.header
    return tag(
        "div",
        brand(),
        tag("span", cls="vr"),
        tag("span", cut(header.question, 400), cls=_q(header.question), title=visible(header.question)[:1000]),
        *made_by(run.trace),
        end_chip(run, making),
        making_buttons(making),
        tag("span", cls="sp"),
        tag("span", "moment ", tag("b", f"{moment:,}"), f" of {run.total:,}", cls="moment"),
        tag("span", cls="vr"),
        view_switch(view, run),
        button("compare", "Compare", do="dialog:compare", key="v", title="compare with another run (v)"),
        button("export", "Export", do="dialog:export", key="o", title="export this run (o)"),
        copy_link(),
        cls="topbar of-run",
    )


def _q(question: str) -> str:
    return "q" if len(question) > MOST_WHOLE else "q whole"


def made_by(trace: Trace) -> tuple[Html | None, ...]:
    """Agent, what answered its calls and the judge; of an imported record where it is from."""
    settings, by = trace.header.settings, told(trace)
    if settings.agent == "imported":
        return (tag("span", cut(by or "imported", 60), cls="tag"),)
    title = f"calls answered by: {visible(by)[:400]}"
    return (
        tag("span", tag("span", "Agent ", cls="word"), tag("b", agent_name(settings.agent)), cls="tag agent"),
        tag("span", answered_by(by), cls="tag wide", title=title) if by else None,
        tag("span", f"conflict judge: {settings.judge}", cls="tag wider"),
    )


def copy_link() -> Html:
    """The button that copies the address of the screen."""
    return tag(
        "button",
        icon("link"),
        tag("span", "Copy link", cls="name"),
        type="button",
        cls="btn",
        data_copy="link",
        data_key="u",
        title="copy the link to this screen (u)",
        aria_label="Copy link",
    )


def button(mark: str, name: str, *, do: str, title: str, key: str | None = None, cls: str = "") -> Html:
    """A button of the bar; where there is little room only its icon stays."""
    return tag(
        "button",
        icon(mark),
        tag("span", name, cls="name"),
        type="button",
        cls=f"btn {cls}".strip(),
        data_do=do,
        data_key=key,
        title=title,
        aria_label=name,
    )


def making_buttons(making: Making) -> Html | None:
    """What can be done about the making of a run: hold it, let it go on, end it, take it up again."""
    if making.can_resume:
        title = "go on with this run from where it stopped; the model server is asked"
        return button("here", "Resume", do="resume:", title=title, cls="said")
    if making.by != "app":
        return None
    held = making.paused or making.pausing
    on_or_off = (
        button("here", "Go on", do="go_on:", key="h", title="go on to the next breakpoint (h)", cls="primary said")
        if held
        else button("pause", "Pause", do="pause:", key="h", title="wait before the next call (h)")
    )
    return tag(
        "span",
        on_or_off,
        button("step", "Step", do="step:", key="j", title="make one call, then wait before the next (j)"),
        button("halt", "Stop", do="stop:", title="end the run here; it can be resumed", cls="stop"),
        cls="making",
        role="group",
        aria_label="the run",
    )


def view_switch(view: str, run: Run) -> Html:
    """Tree (or what the agent has instead of one) or charts; the key leads to the other one."""
    return tag(
        "span",
        *(
            tag(
                "button",
                icon(mark),
                tag("span", name, cls="name"),
                type="button",
                data_do=f"view:{one}",
                data_key=None if one == view else "k",
                aria_pressed="true" if one == view else "false",
                aria_label=name,
                title=f"{name.lower()} (k)",
            )
            for one, mark, name in (_memory(run), ("charts", "chart", "Charts"))
        ),
        cls="switch",
        role="group",
        aria_label="view",
    )


def _memory(run: Run) -> tuple[str, str, str]:
    """View, icon and name of the agent's memory."""
    if run.has_tree and not run.last.steps:
        return "tree", "tree", "Tree"
    return "tree", "page", {"imported": "Steps", "react": "Steps", "report": "Report"}.get(run.last.agent, "Facts")


def end_chip(run: Run, making: Making = STANDING) -> Html:
    """How the run ended, or that it goes on, or what it waits for."""
    settings = run.trace.header.settings
    searches = f"{len(run.last.searches)} of {count(settings.max_searches, 'search', 'searches')}"
    if settings.agent == "imported":
        searches = count(len(run.last.steps), "step")
    if making.paused:
        return tag(
            "span", icon("pause", "s"), tag("span", making.paused), cls="tag held", title=making.paused, role="status"
        )
    if making.by:
        words = (
            "pauses before the next call" if making.pausing else "running" if making.by == "app" else "being written"
        )
        return tag("span", icon("live", "s"), f"{words} · {searches}", cls="tag live")
    if run.last.ended is None:
        return tag(
            "span",
            icon("dash", "s"),
            f"unfinished · {searches}",
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
        title=visible(run.last.ended.detail)[:400],
    )


def event_line(run: Run, moment: int, noted: Noted = UNNOTED) -> Html:
    """The current event in words, with what is noted on it."""
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
        marks_at(noted, moment),
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
        tag("span", cls="sp"),
        button("halt", "Stop", do="stop:", title="give it up", cls="stop"),
        cls="topbar",
    )


def notices(run: Run, *messages: str) -> Html:
    """What a person should know before trusting the record."""
    trace = run.trace
    found = list(filter(None, messages))
    found += trace.notices
    if trace.damage:
        lines = ", ".join(str(one.line) for one in trace.damage[:5]) + (", …" if len(trace.damage) > 5 else "")
        found.append(f"{count(len(trace.damage), 'damaged record')} left out (line {lines}): {trace.damage[0].reason}")
    unknown = (one.raw.get("record") for one in trace.records if isinstance(one, OtherRecord))
    others = sum(kind not in KNOWN_ASIDES for kind in unknown)
    if others:
        found.append(f"{count(others, 'record')} of an unknown kind left out of the picture")
    if trace.stopped and not needs_model(run):
        found.append(f"the run was stopped before its end: {trace.stopped}")
    problems = run.last.problems
    if problems:
        rest = f", and {len(problems) - 1} more" if len(problems) > 1 else ""
        found.append(f"the record does not fit together: {problems[0]}{rest}")
    return join(
        *(tag("div", icon("warning", "s"), tag("span", cut(one, 300)), cls="notice", role="alert") for one in found)
    )
