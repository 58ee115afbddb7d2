"""What code says of a proposed contradiction, before the confirmation and of its answers (paper, section 4.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from retree_core.judging.answers import answered
from retree_core.judging.duplicates import is_duplicate
from retree_core.judging.facts import FactPair
from retree_core.judging.guards import part_guards as guards_of_parts
from retree_core.judging.guards import text_guards as guards_of_texts
from retree_core.rules.memory import WorkingMemory
from retree_core.text.support import unsupported_values
from retree_core.verdicts import parts_of

Answer = dict[str, Any]
Inputs = Mapping[str, Any]


def limit(inputs: Inputs, memory: WorkingMemory) -> Answer:
    """Why replacing the fact `old` by `new` is out of the question, whatever a judge says; empty if it is not.

    A fact is repaired at most `most` times, and returns to a former value only with a source not seen for it.
    """
    old, new = memory.state.evidence[inputs["old"]], memory.state.evidence[inputs["new"]]
    if len(old.revisions) > inputs["most"]:
        return {"why": f"{old.id} was repaired {inputs['most']} times already"}
    brought = {one.passage for one in new.current.sources}
    for former in old.revisions[:-1]:
        seen = {one.passage for one in former.sources}
        if brought <= seen and _returns_to(former.text, old.text, new.text):
            return {"why": f"returns to revision {former.number} without a source that was not seen for it"}
    return {}


def _returns_to(former: str, current: str, new: str) -> bool:
    """Whether `new` says what `former` said and `current` does not, in whatever words."""
    lost = unsupported_values(former, current)
    return is_duplicate(former, new) or bool(lost and not set(lost).intersection(unsupported_values(former, new)))


def text_guards(inputs: Inputs, memory: object) -> Answer:
    """What every guard over the texts of a FactPair says; one that did not pass vetoes the repair."""
    return {"guards": [asdict(one) for one in guards_of_texts(FactPair(**inputs))]}


def part_guards(inputs: Inputs, memory: object) -> Answer:
    """What every guard over the answers says, and whether they amount to a contradiction that the new fact wins.

    Inputs: `pair` (a FactPair's fields), `reply` (the confirmation), `sourced` (whether both sides showed passages).
    """
    pair, reply = FactPair(**inputs["pair"]), inputs["reply"]
    guards = [asdict(one) for one in guards_of_parts(pair, parts_of(reply))]
    agreed = _contradicts(reply) and _better_supported(reply, sourced=inputs["sourced"])
    return {"guards": guards, **({"agreed": True} if agreed else {})}


def _contradicts(reply: Inputs) -> bool:
    """It says so, or it says that both facts answer its one question, and not alike; the guards compare the answers."""
    return reply["contradiction"] or (answered(parts_of(reply)) and not reply["value"]["same"])


def _better_supported(reply: Inputs, *, sourced: bool) -> bool:
    """Being newly found is no support (section 4.3); where no source is shown there is nothing to weigh."""
    return reply["better"] == "new" or not sourced
