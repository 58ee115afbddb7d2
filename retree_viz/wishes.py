"""What the user asked for, carried out: every click and key arrives here as one string."""

from __future__ import annotations

import streamlit as st

from retree_core.errors import ReTreeError
from retree_viz import address_bar, lives
from retree_viz import place as places
from retree_viz.html import visible
from retree_viz.place import Place


def do(wish: str, total: int = 0) -> None:
    """Carry out `VERB:WHAT` (see `place.moved`); `total` is the number of events of the open run."""
    before: Place = st.session_state["place"]
    st.session_state[address_bar.WISHED] = True
    verb, _, what = wish.partition(":")
    match verb:
        case "stop" | "pause" | "go_on" | "step":
            getattr(lives, verb)(before.run)
        case "resume":
            _resume(before)
        case "upload":
            st.session_state["uploading"] = not st.session_state.get("uploading")
        case "page":
            st.session_state["page"] = places.number(what) or 0
        case _:
            st.session_state["place"] = places.moved(before, wish, total)


def _resume(place: Place) -> None:
    """Go on with the open run; the whole page has to be drawn anew, since it grows from now on."""
    try:
        lives.resume(place.run, lives.readable(place.breakpoints))
    except ReTreeError as error:
        st.session_state["trouble"] = str(error)
    st.session_state["leaving"] = True


def write_address() -> None:
    """The address bar follows the place, so that it can be copied at any time."""
    query = {name: visible(value) for name, value in address_bar.to_query(st.session_state["place"]).items()}
    st.session_state[address_bar.WRITTEN] = query
    st.session_state[address_bar.WISHED] = False
    if dict(st.query_params) != query:
        st.query_params.from_dict(query)


def leaves_page(before: Place, after: Place) -> bool:
    """Whether another page has to be drawn."""
    return _page(before) != _page(after)


def _page(place: Place) -> tuple[str, bool, str, str]:
    return place.run, place.asking, place.against, place.results
