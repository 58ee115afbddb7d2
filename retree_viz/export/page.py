"""One HTML page that needs nothing else: the tree as in the debugger, and in words all that it stands on.

Nothing is fetched: vis-network, painters, style and data are in the file, and a content security policy allows only
the very scripts and style that are. What comes from the run is escaped text or JSON, never markup or script.
"""

from __future__ import annotations

import json
from base64 import b64encode
from hashlib import sha256
from importlib.resources import files

from retree_core import __version__
from retree_viz.export import Exported
from retree_viz.export.page_decisions import decisions
from retree_viz.export.page_parts import answer, facts, header, notes, passages, steps
from retree_viz.html import Html, join, tag, visible
from retree_viz.palette import MONO, PALETTE, SANS
from retree_viz.tree.graph import TreeOptions
from retree_viz.tree.scripts import asset, tree_script
from retree_viz.tree.view import tree_view


def html(what: Exported) -> bytes:
    """The page."""
    view = tree_view(what.index, what.moment, TreeOptions(show_later=False))
    style, script = _style(), _script()
    allowed = f"script-src {_hash(script)}; style-src {_hash(style)}"
    policy = f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"
    head = join(
        Html('<meta charset="utf-8">'),
        Html(f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
        Html('<meta name="viewport" content="width=device-width,initial-scale=1">'),
        Html('<meta name="referrer" content="no-referrer">'),
        tag("title", f"{visible(what.run.trace.header.question)[:120]} · ReTree"),
        Html(f"<style>{style}</style>"),
    )
    no_script = tag("noscript", tag("p", "The drawing needs JavaScript; what it shows is in words below.", cls="mut"))
    body = tag(
        "main",
        header(what),
        tag("div", no_script, id="tree"),
        answer(what),
        decisions(what),
        steps(what),
        facts(what),
        passages(what),
        notes(what),
        tag("footer", f"Exported by ReTree {__version__} from a recorded run. Nothing in this file is fetched."),
    )
    data = Html(f'<script type="application/json" id="view">{_json(view)}</script>')
    page = f'<!doctype html>\n<html lang="en"><head>{head}</head><body>{body}{data}'
    return f'{page}<script type="module">{script}</script></body></html>\n'.encode("utf-8", errors="replace")


def _json(value: object) -> str:
    """JSON that can stand in a script element: nothing in it can end that, or begin a comment."""
    return json.dumps(value, allow_nan=False, sort_keys=True).replace("<", "\\u003c")


def _hash(text: str) -> str:
    """The source expression that allows exactly this script or style."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _style() -> str:
    variables = "".join(f"--{name}:light-dark({one.light},{one.dark});" for name, one in PALETTE.items())
    return f":root{{{variables}--sans:{SANS};--mono:{MONO}}}\n{_own('page.css')}\n{asset('tree.css')}"


def _script() -> str:
    """The tree's own scripts, then what puts it into the page."""
    links = asset("links.js").replace("export default function", "const keepLinks = function", 1)
    return "\n".join([tree_script(), links, _own("page.js")])


def _own(name: str) -> str:
    return files("retree_viz.export").joinpath(name).read_text(encoding="utf-8")
