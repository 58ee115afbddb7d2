"""The page that starts a run; the debugger then follows it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import streamlit as st

from retree_core.settings import Settings
from retree_viz import lives
from retree_viz.html import Html, tag
from retree_viz.panels import gallery
from retree_viz.panels.bar import brand
from retree_viz.panels.pieces import cut
from retree_viz.panels.surface import surface
from retree_viz.place import Place
from retree_viz.runs import samples_folder
from retree_viz.wishes import do

EXAMPLE = "In which town was the composer of Finlandia born?"
DEFAULT_SERVER = "http://localhost:30000/v1"
_NO_QUESTION = "The question is empty: write one, then press Start."


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
            before, where = st.session_state.get("asked", ("", default_spec()))
            question = st.text_area("Question", before, height=88, key="question", placeholder=EXAMPLE)
            spec = st.text_input("Search", where, key="spec", help="`corpus:PATH`, `google`, `serper` or `searxng:URL`")
            judge = st.segmented_control("Judge", ["guarded", "paper"], default="guarded", key="judge")
            started = st.form_submit_button("Start", type="primary", icon=":material/play_arrow:")
        surface(model_shown(os.environ), key="ask_model", on_do=do)
    if started:
        _start(question, spec, Settings(model=model(os.environ), judge="paper" if judge == "paper" else "guarded"))


def _start(question: str, spec: str, settings: Settings) -> None:
    st.session_state["asked"] = (question, spec)
    if not question.strip():
        st.session_state["trouble"] = _NO_QUESTION
    else:
        try:
            st.session_state["place"] = Place(run=lives.start(question.strip(), settings, spec.strip()))
        except OSError as error:
            st.session_state["trouble"] = (
                f"The folder for new runs cannot be written ({error.strerror}); set RETREE_RUNS to one that can."
            )
    st.rerun()


def model(environ: Mapping[str, str]) -> str:
    return environ.get("RETREE_MODEL") or Settings().model


def default_spec() -> str:
    """The sample corpus, named from where the app was started where that is shorter."""
    path = samples_folder() / "corpus.jsonl"
    with suppress(ValueError):
        path = path.relative_to(Path.cwd())
    return f"corpus:{path}"


def model_shown(environ: Mapping[str, str]) -> Html:
    """Which model will answer the calls, and where that is set."""
    server = environ.get("RETREE_BASE_URL") or DEFAULT_SERVER
    return tag(
        "dl",
        tag("dt", "Model", cls="mut"),
        tag("dd", cut(model(environ), 200)),
        tag("dt", "Server", cls="mut"),
        tag("dd", cut(server, 300)),
        tag("dt", cls="mut"),
        tag("dd", "Set by RETREE_MODEL, RETREE_BASE_URL and RETREE_API_KEY before the app starts.", cls="mut"),
        cls="shown",
    )
