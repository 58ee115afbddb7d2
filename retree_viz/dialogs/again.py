"""Re-run one model call with an edited prompt against the live server, and compare the replies."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, Literal

import streamlit as st

from retree_core.calls import Answered, JsonObject, ModelCall, ModelReply
from retree_core.drivers.again import Again, Keep, edited
from retree_core.errors import ReTreeError
from retree_core.llm.address import endpoint, without_secrets
from retree_core.llm.client import from_environment
from retree_core.notes import add_note, read_notes
from retree_core.secrets import redact
from retree_core.why.calls import CallLine
from retree_viz.dialogs.closing import close
from retree_viz.html import Html, tag, visible
from retree_viz.notes import place_of
from retree_viz.opened import Opened
from retree_viz.panels.answerer import answerer, model, server
from retree_viz.panels.call_text import messages
from retree_viz.panels.gallery import trouble
from retree_viz.panels.replies import Made, kept, side_by_side
from retree_viz.panels.surface import surface
from retree_viz.place import Place
from retree_viz.wishes import do

TICK_S = 0.5
"""How often a call that is being made is looked at."""
MOST_EDITED = 12
"""Messages that get a text field each: the last ones; those before them are sent as recorded."""
_ROLES = ("system", "user", "assistant", "tool")
_GOING = "again_going"
"""Name in the session of the call being made: address and number of its call, and the call."""


@st.dialog("Re-run a model call", width="large", on_dismiss=close)
def show(found: Opened, place: Place) -> None:
    """The prompt of the chosen call to edit, a button that sends it, and both replies."""
    lines = found.run.call_lines
    line = lines[place.call - 1] if place.call is not None and 1 <= place.call <= len(lines) else None
    if line is None or not isinstance(line.record.call, ModelCall):
        surface(
            tag("p", "That is no model call. Close this, then choose one on the Calls tab."), key="again_none", on_do=do
        )
        return
    try:
        address = without_secrets(endpoint(server()))
        notes = place_of(place.run, found.run.trace.header.run_id)
    except ReTreeError as error:
        surface(trouble(str(error)), key="again_trouble", on_do=do)
        return
    surface(_about(line, address), key="again_about", on_do=do)
    call = _prompt(line.record.call, f"{place.run} {line.number}")
    _button(place.run, line, call, partial(_keep, notes, found.run.trace.header.run_id, line, call, address))
    _outcome(place.run, line, notes)


def _about(line: CallLine, address: str) -> Html:
    stays = f"{line.number}, {line.role}; the schema of its reply and all other settings stay as recorded"
    return answerer(model(), address, [("Call", stays)])


def _prompt(call: ModelCall, key: str) -> ModelCall:
    """The call as it stands in the fields."""
    texts = messages(call.body)
    raw: list[Any] = list(call.body["messages"]) if texts else []
    first = max(0, len(texts) - MOST_EDITED)
    sent = [one if isinstance(one, Mapping) else {"role": "user", "content": str(one)} for one in raw]
    for place in range(first, len(texts)):
        role = texts[place].role if texts[place].role in _ROLES else "other"
        height = 120 if role == "system" else 220
        shown = _sendable(texts[place].content)
        text = st.text_area(f"Message {place + 1}, {role}", shown, height=height, key=f"again {key} {place}")
        sent[place] = {**sent[place], "content": text}
    left, right = st.columns(2)
    temperature = left.number_input(
        "Temperature", 0.0, 5.0, _number(call.body.get("temperature"), 5.0), 0.1, key=f"again {key} temperature"
    )
    seed = right.number_input(
        "Seed", 0, 2**31 - 1, int(_number(call.body.get("seed"), 2**31 - 1)), 1, key=f"again {key} seed"
    )
    return edited(call, model=model(), messages=sent, temperature=float(temperature), seed=int(seed))


def _sendable(text: str) -> str:
    """The text as a field and a request can hold it: without keys, lone surrogates as question marks."""
    return redact(text).encode("utf-8", "replace").decode()


def _number(value: Any, most: float) -> float:
    fits = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= most
    return float(value) if fits else 0.0


def _button(address: str, line: CallLine, call: ModelCall, keep: Keep) -> None:
    going = _going(address, line.number)
    running = going is not None and not going.finished
    kind: Literal["primary", "secondary"] = "secondary" if running else "primary"
    asked = st.button("Run", type=kind, icon=":material/play_arrow:", key="again_run")
    if asked and not running:  # a disabled button would lose the focus, and Escape with it
        try:
            made = Again(call, from_environment(), keep)
        except ReTreeError as error:
            surface(trouble(str(error)), key="again_refused", on_do=do)
            return
        st.session_state[_GOING] = (address, line.number, time.monotonic(), made)
        st.rerun()


def _going(address: str, number: int) -> Again | None:
    """The call being made, or just made, for this one."""
    known = st.session_state.get(_GOING)
    return known[3] if known and known[:2] == (address, number) else None


def _keep(notes: Path, trace: str, line: CallLine, call: ModelCall, address: str, answered: Answered) -> None:
    """Write the reply down beside the trace; runs on the call's own thread."""
    assert isinstance(answered.reply, ModelReply)
    note: JsonObject = {
        "kind": "rerun",
        "moment": line.moment or 0,
        "text": f"Call {line.number} ({line.role}) made again",
        "call": line.number,
        "server": address,
        **{name: call.body[name] for name in ("model", "messages", "temperature", "seed")},
        "reply": answered.reply.raw,
        "seconds": round(answered.seconds, 3),
    }
    add_note(notes, note, trace=trace)


def _outcome(address: str, line: CallLine, notes: Path) -> None:
    going = _going(address, line.number)
    if going is not None and not going.finished:
        _waiting(address, line.number)
        return
    if going is not None and going.error:
        surface(trouble(going.error), key="again_error", on_do=do)
        if going.answered is not None:  # it came, but could not be kept
            _both(line, _not_kept(going.call, going.answered))
    try:
        made = [one for one in read_notes(notes).of("rerun") if one.get("call") == line.number]
    except ReTreeError as error:
        surface(trouble(str(error)), key="again_notes", on_do=do)
        return
    if made:
        _compare(line, made, notes)


@st.fragment(run_every=TICK_S)
def _waiting(address: str, number: int) -> None:
    """How long it has taken so far, until it ends."""
    going = _going(address, number)
    if going is None or going.finished:
        st.rerun(scope="app")
        return
    seconds = time.monotonic() - st.session_state[_GOING][2]
    with st.container(horizontal=True, vertical_alignment="center"):
        surface(tag("p", f"Waiting for the reply, {seconds:.0f} s …", role="status"), key="again_waiting", on_do=do)
        if st.button("Stop", icon=":material/stop:", key="again_stop"):
            going.stop()


def _compare(line: CallLine, made: list[JsonObject], notes: Path) -> None:
    chosen = made[-1]
    if len(made) > 1:
        newest = list(range(len(made) - 1, -1, -1))
        label = f"{len(made)} re-runs are kept"
        place = st.selectbox(label, newest, format_func=lambda one: _named(made[one]), key=f"again_chosen {len(made)}")
        chosen = made[place or 0]
    assert isinstance(line.record.call, ModelCall)
    new = kept(line.record.call, chosen)
    if new is None:
        surface(trouble("This note holds no reply."), key="again_empty", on_do=do)
        return
    _both(line, new)
    surface(tag("p", f"Kept as a note in {notes}; the trace stays as it is.", cls="mut"), key="again_kept", on_do=do)


def _both(line: CallLine, new: Made) -> None:
    record = line.record
    assert isinstance(record.call, ModelCall)
    old = Made(title="Recorded", call=record.call, reply=record.reply, seconds=record.seconds, read=line.read)
    surface(side_by_side(old, new), key="again_replies", on_do=do)


def _not_kept(call: ModelCall, answered: Answered) -> Made:
    return Made(title="Re-run, not kept", call=call, reply=answered.reply, seconds=answered.seconds)


def _named(note: JsonObject) -> str:
    return visible(f"{note.get('at', '')}, temperature {note.get('temperature')}, seed {note.get('seed')}")[:120]
