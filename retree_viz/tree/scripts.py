"""The browser's part of the tree: vis-network as pyvis ships it, and our painters. No Streamlit here."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from retree_viz.palette import MONO, SANS, colours

SCRIPTS = ("glyphs", "paint", "wires", "camera", "light", "ahead", "find", "chrome", "tree")
"""Our painters, in the order in which one needs the other."""


@cache
def tree_script() -> str:
    """vis-network, then our painters: one module, the same for every tree, so it is sent once per tab."""
    vis = files("pyvis").joinpath("lib/vis-9.1.2/vis-network.min.js").read_text(encoding="utf-8")
    palette = {theme: colours(theme) for theme in ("light", "dark")}
    values = {"PALETTE": palette, "SANS": SANS, "MONO": MONO}
    constants = "".join(f"const {name}={json.dumps(value)};" for name, value in values.items())
    ours = (asset(f"{name}.js") for name in SCRIPTS)
    return "\n".join([vis, "const vis=globalThis.vis;", constants, *ours])


@cache
def asset(name: str) -> str:
    """A script or style of the tree."""
    return files("retree_viz.tree").joinpath(f"assets/{name}").read_text(encoding="utf-8")
