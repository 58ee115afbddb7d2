"""The alternative: the same tree as pyvis HTML, made anew and put into an iframe at each step: `streamlit run` it.

As kind to it as can be: places are worked out beforehand, no physics, straight edges, and vis comes with the page.
"""

from __future__ import annotations

import re

import streamlit as st
import streamlit.components.v1 as components
from pyvis.network import Network

from retree_core.trace import read_trace
from retree_viz.run import Run
from retree_viz.tree.graph import TreeOptions, tree_graph
from retree_viz.tree.index import TreeIndex
from retree_viz.tree.view import to_network

st.set_page_config(layout="wide")

TOLD = """<script>requestAnimationFrame(() => parent.postMessage({ drawn: %d }, "*"));</script></body>"""
FOREIGN = re.compile(r"<(?:link|script)\s+(?:href|src)=\"https://[^>]*>(?:</script>)?")


@st.cache_resource
def index_of(path: str) -> TreeIndex:
    return TreeIndex(Run(read_trace(path)))


def page(network: Network, moment: int) -> str:
    """What pyvis makes of the graph, without what it would load from elsewhere; says when it is drawn."""
    html, _, rest = FOREIGN.sub("", network.generate_html()).rpartition("</body>")
    return html + TOLD % moment + rest


index = index_of(st.query_params["trace"])
moment = int(st.query_params["moment"])
st.session_state.setdefault("moment", moment)
st.button("next", shortcut="Right", on_click=lambda: st.session_state.update(moment=st.session_state["moment"] + 1))
graph = tree_graph(index, st.session_state["moment"], TreeOptions(whole=st.query_params.get("whole") == "1"))
network = to_network(graph, index)
for node in network.nodes:
    del node["card"], node["hash"]
network.options.edges.smooth.enabled = False
components.html(page(network, st.session_state["moment"]), height=620)
