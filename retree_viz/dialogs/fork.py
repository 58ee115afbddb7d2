"""What if: change a decision, a text or a finding, see what falls, and start the fork."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from retree_core.drivers.edits import WITH_ID, Edit, Editable
from retree_core.drivers.session import answering_now
from retree_core.errors import ReTreeError
from retree_core.why.blast import Blast, blast
from retree_viz import edits, lives
from retree_viz.dialogs.closing import close
from retree_viz.html import Html, join, tag, visible
from retree_viz.opened import Opened
from retree_viz.panels import blast as blast_panel
from retree_viz.panels.answerer import answerer, server
from retree_viz.panels.gallery import trouble
from retree_viz.panels.icons import icon, of_event, tone
from retree_viz.panels.pieces import cut, rows
from retree_viz.panels.surface import surface
from retree_viz.place import Place
from retree_viz.run import Run
from retree_viz.wishes import do
from retree_viz.words import plain, sentence

HEIGHTS = {"query": 70, "fact": 70, "passage": 180, "reply": 240}
OFFLINE, LIVE = "Offline, as far as the record answers", "Live, a model answers the rest"
_WORDS = {"repair": "confirmed: the fact is repaired", "reject": "rejected: the fact stays", "": "not decided yet"}


@st.dialog("What if", width="medium", icon=":material/alt_route:", on_dismiss=close)
def show(found: Opened, place: Place) -> None:
    """The edit, its blast radius, and who answers what the record does not."""
    run = found.run
    moment = place.at(run.total)
    possible = edits.choices(run, moment, place.selected)
    if not possible:
        _elsewhere(run, moment)
        return
    key = visible(f"{place.run} {moment} {place.selected}")
    chosen = possible[0]
    if len(possible) > 1:
        chosen = st.selectbox("What to change", possible, format_func=edits.named, key=f"fork_what {key}") or chosen
    surface(_event(run, chosen.moment), key="fork_event", on_do=do)
    try:
        edit = _edit(run, chosen, key)
        told = _blast(run, place.run, chosen.moment, edit) if edit else None
    except ReTreeError as error:
        surface(trouble(str(error)), key="fork_trouble", on_do=do)
        return
    if edit is None or told is None:
        surface(tag("p", "Change the text to see what would fall.", cls="mut"), key="fork_same", on_do=do)
    else:
        surface(blast_panel.blast(run, told), key="fork_blast", on_do=do)
    _start(run, place.run, chosen.moment, edit, told)


def _elsewhere(run: Run, moment: int) -> None:
    """Nothing can be changed here; the nearest events where something can."""
    near = edits.near(run, moment)
    event = run.event(moment)
    kind = event.kind.replace("_", " ") if event else "nothing yet"
    where = "The nearest events where something can be changed:" if near else "Nothing can be changed in this record."
    said = tag("p", f"At event {moment} ({kind}) nothing was decided, said by a model, or found.")
    surface(join(said, tag("p", where, cls="mut")), key="fork_none", on_do=do)
    for at in near:
        label = f"Event {at}: {run.events[at - 1].kind.replace('_', ' ')}"
        if st.button(label, key=f"fork_near {at}", width="stretch"):
            place: Place = st.session_state["place"]
            st.session_state["place"] = replace(place, moment=at)
            st.rerun()


def _event(run: Run, moment: int) -> Html:
    """The event that changes, in words."""
    event = run.events[moment - 1]
    words = plain(sentence(event, run.at(moment)))
    return tag(
        "div",
        tag("b", str(moment), cls="mono num"),
        tag("span", icon(of_event(event.kind)), cls=tone(event.kind)),
        tag("span", cut(words, 400)),
        cls="fork-event",
    )


def _edit(run: Run, chosen: Editable, key: str) -> Edit | None:
    """The edit as it stands in the dialog; None while nothing is changed. Raises UsageError."""
    if chosen.what == "verdict":
        becomes = edits.FLIPPED.get(chosen.value) or _verdict(key)
        surface(_flip(run, chosen, becomes), key="fork_flip", on_do=do)
        return Edit.of("verdict", becomes)
    before = edits.shown(chosen)
    key = f"fork_text {key} {chosen.what} {visible(chosen.id)} {chosen.moment}"
    label = {"query": "Query", "fact": "Fact", "passage": "Passage", "reply": "Reply"}[chosen.what]
    text = st.text_area(label, before, height=HEIGHTS[chosen.what], key=key)
    if chosen.what in WITH_ID:
        hint = f"Empty: as if this {chosen.what} had not been {'found' if chosen.what == 'passage' else 'extracted'}."
        surface(tag("p", hint, cls="mut"), key="fork_hint", on_do=do)
    return None if text == before else Edit.of(chosen.what, text, chosen.id)


def _verdict(key: str) -> str:
    """The decision of a proposal that has none yet."""
    return st.radio("Decide", ["reject", "repair"], key=f"fork_verdict {key}", horizontal=True) or "reject"


def _flip(run: Run, chosen: Editable, becomes: str) -> Html:
    """What was decided and what it becomes."""
    event = run.events[chosen.moment - 1]
    state = run.at(chosen.moment)
    old, new = getattr(event, "old", ""), getattr(event, "new", "")
    texts = {id_: state.evidence[id_].text for id_ in (old, new) if id_ in state.evidence}
    return rows(
        [
            ("Stored", join(tag("b", old, cls="mono"), " ", cut(texts.get(old, "not in the record"), 400))),
            ("New", join(tag("b", new, cls="mono"), " ", cut(texts.get(new, "not in the record"), 400))),
            ("Was", _WORDS[chosen.value]),
            ("Becomes", tag("b", _WORDS[becomes], cls="repair" if becomes == "repair" else "refuse")),
        ]
    )


def _blast(run: Run, address: str, moment: int, edit: Edit) -> Blast:
    """Kept until the edit changes: a growing run draws the dialog again and again."""
    key = (address, moment, edit)
    known = st.session_state.get("fork_blast")
    if not known or known[0] != key:
        known = st.session_state["fork_blast"] = (key, blast(run.trace, moment, [edit]))
    found: Blast = known[1]
    return found


def _start(run: Run, address: str, moment: int, edit: Edit | None, told: Blast | None) -> None:
    """Who answers, and the button."""
    how = st.radio("Who answers", [OFFLINE, LIVE], key="fork_how", horizontal=True, label_visibility="collapsed")
    if how == LIVE:
        surface(answerer(answering_now(run.trace.header), server()), key="fork_model", on_do=do)
    pressed = st.button(
        "Start the fork", type="primary", icon=":material/alt_route:", disabled=edit is None, key="fork_start"
    )
    if pressed and edit and told:
        try:
            forked = lives.fork(address, moment, [edit], live_model=how == LIVE)
        except ReTreeError as error:
            surface(trouble(str(error)), key="fork_failed", on_do=do)
            return
        st.session_state["place"] = Place(run=forked, moment=told.shared_events + 1)
        st.rerun()
