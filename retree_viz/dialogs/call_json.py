"""One call as a file: request, reply, failed tries, just as the trace holds them."""

from __future__ import annotations

import json
import re

import streamlit as st

from retree_core.secrets import redact_json
from retree_core.trace.records import record_json
from retree_viz.dialogs.closing import close
from retree_viz.html import tag
from retree_viz.opened import Opened
from retree_viz.panels.gallery import size
from retree_viz.panels.surface import surface
from retree_viz.place import Place
from retree_viz.wishes import do


@st.dialog("The call as JSON", on_dismiss=close)
def show(found: Opened, place: Place) -> None:
    """Offer the chosen call as a download."""
    lines = found.run.call_lines
    if place.call is None or not 1 <= place.call <= len(lines):
        surface(
            tag("p", "This run has no such call. Close this, then choose one on the Calls tab."),
            key="no_call",
            on_do=do,
        )
        return
    line = lines[place.call - 1]
    whole = redact_json(record_json(line.record))
    data = json.dumps(whole, ensure_ascii=False, allow_nan=False, indent=1).encode("utf-8", "backslashreplace")
    said = f"Call {line.number}, {line.role}: request, reply and tries in full, {size(len(data))}."
    surface(tag("p", said), key="call_json_said", on_do=do)
    run_id = re.sub(r"[^A-Za-z0-9_-]", "", found.run.trace.header.run_id)[:40] or "run"
    name = f"{run_id}-call-{line.number}.json"
    st.download_button("Download", data, name, "application/json", icon=":material/download:", key="call_json_get")
