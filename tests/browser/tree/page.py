"""A page with nothing but the tree, to look at and to test in a real browser: `streamlit run` it."""

from __future__ import annotations

import sys
from pathlib import Path

import streamlit as st

# ruff: noqa: E402, I001
sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[3])]

from retree_core.trace import read_trace
from retree_viz.run import Run
from retree_viz.tree.component import show_tree
from retree_viz.tree.graph import TreeOptions
from retree_viz.tree.index import TreeIndex
from retree_viz.tree.view import tree_view
from viz.story import story_trace

st.set_page_config(layout="wide")


@st.cache_resource
def index_of(path: str) -> TreeIndex:
    return TreeIndex(Run(read_trace(path) if path else story_trace()))


index = index_of(st.query_params.get("trace", ""))
total = len(index.run.events)
moment = st.slider("moment", 0, total, min(45, total), key="moment", bind="query-params")
opened = st.session_state.setdefault("opened", ())
options = TreeOptions(
    claim=int(st.query_params.get("claim", "0")) or None,
    selected=st.query_params.get("selected"),
    show_passages=st.query_params.get("passages") == "1",
    opened=opened,
)
st.button("next", on_click=lambda: st.session_state.update(moment=min(st.session_state["moment"] + 1, total)))
place = st.tabs(["first", "second"])[1] if st.query_params.get("tabs") else st.container()
with place:
    height = int(st.query_params.get("height", "486"))
    click = show_tree(tree_view(index, moment, options), index.links, key="tree", height=height)
if click and click.kind == "more":
    st.session_state["opened"] = (*opened, click.id)
    st.rerun()
st.text(f"clicked {click.kind} {click.id}" if click else "clicked nothing")
