"""The page that starts a run; the debugger then follows it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import get_args

import streamlit as st

from retree_core.errors import UsageError
from retree_core.settings import AGENTS, AgentName, JudgeName, Settings, SummaryCall
from retree_viz import lives
from retree_viz.html import tag
from retree_viz.panels import gallery
from retree_viz.panels.answerer import answerer, model, server
from retree_viz.panels.bar import agent_name, brand
from retree_viz.panels.surface import surface
from retree_viz.place import MOST_BREAKPOINTS, Place
from retree_viz.wishes import do

EXAMPLE = "In which town was the composer of Finlandia born?"
MOST_SEARCHES = 100
_NO_QUESTION = "The question is empty: write one, then press Start."
_SEARCH_HELP = (
    "A `corpus:PATH` among your runs, `google`, `serper`, or what RETREE_SEARCH named before the app started; "
    "RETREE_TRUST_VISITORS=1 allows any `corpus:PATH` and `searxng:URL`."
)
_BREAKPOINTS_HELP = (
    "The run waits before its next call where one of these lines holds: an event kind (`conflict_proposed`), "
    '`role=confirm`, `evidence=e7`, `node=n3`, `context>1500`, `text="two words"`, or several of them on a line.'
)
_SUMMARY_CALLS: dict[SummaryCall, str] = {"after": "after the check", "beside": "beside the check"}
_SUMMARY_HELP = (
    "When a new node's summary is asked for: after the conflict check, as in the paper, or beside it. Beside it a "
    "search step waits for one call less; where a repair follows, that summary is discarded."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What stands in the form."""

    question: str = ""
    spec: str
    settings: Settings = field(default_factory=lambda: Settings(summary_call="beside"))
    breakpoints: str = ""


def ask_page() -> None:
    """A question, where to search, and a button; the model comes from the environment."""
    surface(
        tag("div", brand(), tag("span", cls="vr"), tag("span", "New run", cls="sub"), cls="topbar"),
        key="ask_top",
        on_do=do,
    )
    message = st.session_state.pop("trouble", "")
    if message:
        surface(gallery.trouble(message), key="ask_trouble", on_do=do)
    with st.container(key="ask"):
        with st.form("ask_form", border=False):
            asked = _form(st.session_state.get("asked") or Asked(spec=lives.default_search()))
            started = st.form_submit_button("Start", type="primary", icon=":material/play_arrow:")
        surface(answerer(model(), server()), key="ask_model", on_do=do)
    if started:
        _start(asked)


def _form(before: Asked) -> Asked:
    """The fields, filled as they were left."""
    question = st.text_area("Question", before.question, height=88, key="question", placeholder=EXAMPLE)
    wide, narrow = st.columns([4, 1])
    spec = wide.text_input("Search", before.spec, key="spec", help=_SEARCH_HELP)
    searches = narrow.number_input("Most searches", 1, MOST_SEARCHES, before.settings.max_searches, key="searches")
    with st.container(horizontal=True, gap="medium"):
        agent = _agent(before.settings.agent)
        judges: tuple[JudgeName, ...] = get_args(JudgeName)
        judge = st.segmented_control("Conflict judge", judges, default=before.settings.judge, key="judge")
        summary = st.segmented_control(
            "Summary",
            get_args(SummaryCall),
            default=before.settings.summary_call,
            format_func=_SUMMARY_CALLS.__getitem__,
            key="summary_call",
            help=_SUMMARY_HELP,
        )
    breakpoints = st.text_area(
        "Breakpoints, one a line (none: the run does not wait)",
        before.breakpoints,
        height=68,
        key="breakpoints",
        placeholder="conflict_proposed",
        help=_BREAKPOINTS_HELP,
    )
    settings = Settings(
        model=model(),
        agent=agent,
        judge=judge or before.settings.judge,
        max_searches=int(searches),
        summary_call=summary or before.settings.summary_call,
    )
    return Asked(question=question, spec=spec, settings=settings, breakpoints=breakpoints)


def _agent(before: str) -> AgentName:
    """The agent to run."""
    default = next((one for one in AGENTS if one == before), AGENTS[0])
    return st.segmented_control("Agent", AGENTS, default=default, format_func=agent_name, key="agent") or default


def lines_of(text: str) -> tuple[str, ...]:
    """The breakpoints in a text: one a line, or with `;` between them outside of quotes.

    >>> lines_of('conflict_proposed; text="a; b"')
    ('conflict_proposed', 'text="a; b"')
    """
    found = (one.replace("|", " ").strip() for one in re.findall(r'(?:"[^"\n]*"|[^;\n])+', text))
    return tuple(dict.fromkeys(filter(None, found)))


def _start(asked: Asked) -> None:
    """Start the run and go to it, or say why not and keep what was written."""
    st.session_state["asked"] = asked
    breakpoints = lines_of(asked.breakpoints)
    try:
        if not asked.question.strip():
            raise UsageError(_NO_QUESTION)
        if len(breakpoints) > MOST_BREAKPOINTS:
            raise UsageError(f"{len(breakpoints)} breakpoints; at most {MOST_BREAKPOINTS} can be set")
        run = lives.start(asked.question.strip(), asked.settings, asked.spec.strip(), breakpoints)
        st.session_state["place"] = Place(run=run, breakpoints=breakpoints)
    except UsageError as error:
        st.session_state["trouble"] = str(error)
    st.rerun()
