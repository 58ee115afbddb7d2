"""Who decided a conflict and on what, in words: from the decision's event and the recorded reply (section 4.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from retree_core import events as ev
from retree_core.text import cut_label
from retree_core.verdicts import Parts
from retree_core.why.calls import read_record
from retree_core.why.ledger import Ledger
from retree_core.why.parts import answered
from retree_core.why.stories import ANOTHER_REPAIRED
from retree_core.why.values import Ref

Decided = ev.ConflictConfirmed | ev.ConflictRejected


def decided_by(event: Decided) -> str:
    """`confirmation`, `guard:NAME`, `limit` or `fork`."""
    objecting = next((one.name for one in event.guards if not one.passed), "")
    return f"guard:{objecting}" if event.by == "guard" and objecting else event.by


def decider(by: str) -> str:
    """Who decided, in words.

    >>> decider("guard:refinement")
    'guard refinement'
    """
    if by.startswith("guard:"):
        return f"guard {by.removeprefix('guard:')}"
    return _DECIDERS.get(by, by)


_DECIDERS: Mapping[str, str] = {
    "confirmation": "the second model call (confirmation)",
    "guard": "a guard",
    "limit": "a rule",
    "fork": "the person who made the fork",
}


def ending(by: str, reason: str) -> str:
    """Who decided and why: `guard other_entity: The facts share no name.`; of a person only the verdict is known."""
    reason = dotted(reason_alone(by, reason))
    return f"{decider(by)}: {reason}" if reason else f"{decider(by)}."


def reason_alone(by: str, reason: str) -> str:
    """The recorded reason without the name of who decided, which is told beside it."""
    return "" if by == "fork" else reason.removeprefix(f"{by.removeprefix('guard:')}: ")


def dotted(text: str) -> str:
    """The text ended by a full stop, unless it ends a sentence already."""
    text = text.strip()
    return text if not text or text[-1] in ".!?…。" else text + "."


def decision_words(ledger: Ledger, moment: int | None) -> tuple[str, ...]:
    """What made the decision at a moment what it is: texts and `Ref`s; empty where the record does not say."""
    event = ledger.event(moment) if moment else None
    if not moment or not isinstance(event, Decided):
        return ()
    match event.by:
        case "fork":
            return ("The verdict was set by hand; neither guards nor a model were asked.",)
        case "limit":
            return _by_rule(ledger, moment, event)
        case "guard" if event.parts is None:
            return ("A guard objected to the two texts, before the model was asked a second time.",)
        case "guard":
            found = _found(event, _stated(_reply(ledger, moment)))
            return (f"{found} and {_weighed(event)}, but {decider(decided_by(event))} objected.",)
        case _ if event.parts is None:
            return _by_verdict(event, ledger.trace.header.settings.judge)
        case _:
            return _by_model(event, _reply(ledger, moment))


def _by_rule(ledger: Ledger, moment: int, event: Decided) -> tuple[str, ...]:
    at = ledger.last_of(moment, ev.EvidenceRepaired)
    repair = ledger.event(at) if at else None
    if event.reason != ANOTHER_REPAIRED or not isinstance(repair, ev.EvidenceRepaired):
        return ("The rule came first: no guard or model was asked.",)
    itself = " itself" if repair.evidence == event.old else ""
    once = " There is at most one repair a search, so this pair was not looked at."
    return (Ref(repair.evidence), f"{itself} was repaired in this search (event {at}).", once)


def _by_verdict(event: Decided, judge: str) -> tuple[str, ...]:
    """A decision without parts: no reply was valid, or the paper's judge was asked, which states none."""
    if event.reason.startswith("no valid reply"):
        return ("The model gave no valid reply, which leaves the stored fact as it is.",)
    if judge != "paper":
        return ()
    verdict = "replace" if isinstance(event, ev.ConflictConfirmed) else "keep"
    return (f"The model was asked for its verdict alone: it chose to {verdict} the stored fact.",)


def _by_model(event: Decided, reply: Mapping[str, Any]) -> tuple[str, ...]:
    confirmed = isinstance(event, ev.ConflictConfirmed)
    contradiction = _stated(reply)
    if contradiction is None and not confirmed and event.better == "new":
        contradiction = False  # with the better source new, a contradiction would have been confirmed
    found = _found(event, contradiction)
    if contradiction is False and not _two_answers(event.parts):
        return (f"{found}{_unanswered(event.parts)}.",)
    return (f"{found}{' and' if confirmed else ', but' if contradiction else ', and'} {_weighed(event)}.",)


def _weighed(event: Decided) -> str:
    """Which source the model took for the better one."""
    match event.better:
        case "new" | "stored":
            return f"judged the {event.better} source the better one"
        case _ if isinstance(event, ev.ConflictConfirmed):
            return "had no two sources to weigh"
        case _:
            return "judged neither source the better one, which leaves the stored fact as it is"


def _found(event: Decided, contradiction: bool | None) -> str:
    """What the model found between the two facts: the start of a sentence."""
    none = "The model found no contradiction"
    if contradiction:
        return "The model found a contradiction"
    if event.parts is None or not _two_answers(event.parts):
        return none if contradiction is False else "The model compared the two"
    old, new = (cut_label(one, 120) for one in (event.parts.value.old, event.parts.value.new))
    two = f"gave two different answers (“{old}” and “{new}”)"
    return f"{none}, but {two}" if contradiction is False else f"The model {two}"


def _two_answers(parts: Parts | None) -> bool:
    """It has both facts answer its one question, and not alike."""
    return parts is not None and answered(parts.value) and not parts.value.same


def _unanswered(parts: Parts | None) -> str:
    """Where not both sides answer the model's one question, that, as the end of a sentence."""
    return "" if parts is None or answered(parts.value) else "; not both facts answer its one question"


def _stated(reply: Mapping[str, Any]) -> bool | None:
    said = reply.get("contradiction")
    return said if isinstance(said, bool) else None


def _reply(ledger: Ledger, moment: int) -> Mapping[str, Any]:
    """The last valid reply of the confirmation that led to a decision; empty where the record has none."""
    trace = ledger.trace
    for record in (trace.calls[number] for number in reversed(trace.leads.made.get(moment, ()))):
        if record.role == "confirm":
            return read_record(record, old=record.seq <= trace.header.old_until).value or {}
    return {}
