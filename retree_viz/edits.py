"""What a person may change at a place in a run, and what that is in words."""

from __future__ import annotations

import json

from retree_core import events as ev
from retree_core.drivers.edits import NEEDS, Editable, editable, nearest
from retree_core.llm import strict_json
from retree_core.llm.strict_json import clean
from retree_core.secrets import redact
from retree_core.why import Conflict
from retree_viz import dossier
from retree_viz.place import number
from retree_viz.run import Run

FLIPPED = {"repair": "reject", "reject": "repair"}
"""What a verdict becomes."""


def decided_here(run: Run, moment: int) -> Conflict | None:
    """The conflict that a moment is part of, where its decision can be taken differently."""
    conflict = dossier.conflict_at(run, moment)
    return conflict if conflict and _verdict(run, conflict) else None


def choices(run: Run, moment: int, selected: str = "") -> tuple[Editable, ...]:
    """What can be changed at a moment or about the selected thing, the most likely first."""
    conflict = dossier.conflict_at(run, moment)
    verdict = _verdict(run, conflict) if conflict else None
    about = [one for one in editable(run.trace, _home(run, selected)) if one.what == "query" or one.id == selected]
    here = editable(run.trace, moment)
    return tuple(dict.fromkeys([*([verdict] if verdict else []), *about, *here]))


def _verdict(run: Run, conflict: Conflict) -> Editable | None:
    at = conflict.decided or conflict.proposed or 0
    return next((one for one in editable(run.trace, at) if one.what == "verdict"), None)


def _home(run: Run, selected: str) -> int:
    """The event that brought the selected fact or passage, or chose the selected search; 0 where there is none."""
    if selected[:1] == "s":
        chosen = (at for at, one in enumerate(run.events, 1) if isinstance(one, ev.SearchChosen))
        return dict(enumerate(chosen, 1)).get(number(selected[1:]) or 0, 0)
    return run.born.get(selected, 0) if selected[:1] in ("e", "p") else 0


def near(run: Run, moment: int) -> tuple[int, ...]:
    """The events closest to a moment at which something can be changed, in order; a model's reply counts least."""
    telling = {at for what in NEEDS if what != "reply" for at in nearest(run.trace, moment, what)}
    return tuple(sorted(telling or nearest(run.trace, moment, "reply"), key=lambda at: (abs(at - moment), at))[:4])


def named(one: Editable) -> str:
    """An edit as a choice, in plain text."""
    match one.what:
        case "verdict":
            return f"Flip the decision of event {one.moment}"
        case "query":
            return f"Change the query of event {one.moment}"
        case "reply":
            return f"Change the model's reply before event {one.moment}"
        case _:
            return f"Change {one.what} {redact(clean(one.id))[:40]} of event {one.moment}"


def shown(one: Editable) -> str:
    """The recorded value as a field holds it; JSON is laid out."""
    value = clean(one.value)
    try:
        whole = strict_json.loads(value) if one.what == "reply" else None
    except ValueError:
        whole = None
    return json.dumps(whole, ensure_ascii=False, indent=2) if isinstance(whole, dict) else value
