"""Which model is asked by what is started here, and where that is set."""

from __future__ import annotations

import os

from retree_core.llm.address import DEFAULT_BASE_URL
from retree_core.settings import Settings
from retree_viz.html import Html, tag
from retree_viz.panels.pieces import cut, rows


def model() -> str:
    """RETREE_MODEL, else the default."""
    return os.environ.get("RETREE_MODEL") or Settings().model


def server() -> str:
    """RETREE_BASE_URL, else the default."""
    return os.environ.get("RETREE_BASE_URL") or DEFAULT_BASE_URL


def answerer(name: str, address: str) -> Html:
    """A model and its server."""
    where = "Set by RETREE_MODEL, RETREE_BASE_URL and RETREE_API_KEY before the app starts."
    return rows([("Model", cut(name, 200)), ("Server", cut(address, 300)), ("", tag("span", where, cls="mut"))])
