"""The tree as a Streamlit component: a vis network from the files that pyvis ships, drawn by our own painters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import streamlit as st

from retree_viz.packed import packed
from retree_viz.tree.scripts import asset, tree_script

ClickKind = Literal["node", "evidence", "passage", "answer", "search", "step", "more", "shown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeClick:
    """What was clicked."""

    kind: ClickKind
    """`search` is a search without a node; `step` one of an imported record; `more` a stub of a large tree, to be
    added to `TreeOptions.opened`; `shown` a toggle."""
    id: str
    """As in the trace (`n3`, `e7`, `p12`, `6`); `answer`; the card's id for a stub; all that the toggles show."""

    @property
    def wish(self) -> str:
        """What it asks for, as `retree_viz.wishes` takes it."""
        match self.kind:
            case "more":
                return f"unfold:{self.id}"
            case "search":
                return f"select:s{self.id}"
            case "shown":
                return f"shown:{self.id}"
            case "step":
                return f"go:{self.id}"
            case _:
                return f"select:{self.id}"


def _components() -> tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
    """The library's loader, what stays the same for a run, and the tree. Streamlit keeps what it knows already."""
    make = st.components.v2.component
    library = make("retree_tree_library", js=tree_script(), isolate_styles=False)
    links = make("retree_tree_links", js=asset("links.js"), isolate_styles=False)
    return library, links, make("retree_tree", js=asset("mount.js"), css=asset("tree.css"), isolate_styles=False)


def show_tree(
    view: Mapping[str, Any],
    links: bytes,
    *,
    key: str,
    of: str = "",
    height: int | None = 486,
    on_click: Callable[[TreeClick], None] | None = None,
) -> TreeClick | None:
    """Draw a `tree_view` with the index's `links`; return what was clicked since the last run, or None.

    Zoom, pan and find live in the browser and survive reruns as long as `key` stays the same. The toggles Pruned,
    Later and Passages act there at once and send a click of kind `shown`; `view["show"]` has to follow it.
    `on_click` is called with the click before the script runs again, so that what is drawn above the tree can already
    know it. `key` must not hold `__`. `height` is in pixels; None fills the element around it, which then needs one.
    `of` is the view's `facet`, where `show_around` says what changes around its moment.
    """

    def clicked() -> None:
        found = _read(st.session_state.get(key))
        if found and on_click:
            on_click(found)

    library, learn, tree = _components()
    library(key=f"{key}-library", height=1)
    learn(key=f"{key}-links", data=links, height=1)
    return _read(tree(key=key, data=packed({**view, "of": of, "height": height}), on_click_change=clicked))


def show_around(blocks: Mapping[int, bytes], *, key: str) -> None:
    """Tell the browser what changes `around` the moment, so that it draws the next steps by itself."""
    learn = st.components.v2.component("retree_tree_around", js=asset("around.js"), isolate_styles=False)
    for place, block in blocks.items():
        learn(key=f"{key}-{place}", data=block, height=1)


def _read(result: Any) -> TreeClick | None:
    """The click in a component's result; anything malformed is no click."""
    raw = getattr(result, "click", None)
    if not isinstance(raw, Mapping) or raw.get("kind") not in get_args(ClickKind):
        return None
    return TreeClick(kind=raw["kind"], id=str(raw.get("id", "")))
