"""Which model is asked by what is started here, and where that is set."""

from __future__ import annotations

import os
from collections.abc import Sequence

from retree_core.llm.address import DEFAULT_BASE_URL
from retree_core.settings import Settings
from retree_viz.html import Child, Html, tag
from retree_viz.panels.pieces import cut, rows


def model() -> str:
    """RETREE_MODEL, else the default."""
    return os.environ.get("RETREE_MODEL") or Settings().model


def server() -> str:
    """RETREE_BASE_URL, else the default."""
    return os.environ.get("RETREE_BASE_URL") or DEFAULT_BASE_URL


def answerer(name: str, address: str, about: Sequence[tuple[str, Child]] = ()) -> Html:
    """A model and its server, after rows that say what it is asked for."""
    where = "Set by RETREE_MODEL, RETREE_BASE_URL and RETREE_API_KEY before the app starts."
    return rows([*about, ("Model", cut(name, 200)), ("Server", cut(address, 300)), ("", tag("span", where, cls="mut"))])
