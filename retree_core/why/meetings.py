"""Where two facts stood, search by search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from retree_core import events as ev
from retree_core.state import State
from retree_core.why.checks import Check, check_of
from retree_core.why.ledger import Ledger

MOST = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """How a fact stood in a search."""

    standing: str
    """Its fate at the end of the search; empty while it was not yet read."""
    policy: bool
    """It was in the policy context that led to the search."""
    check: Literal["", "stored", "new"]
    """As what it was put before the judge, as the request has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """One search, and how both facts stood in it."""

    search: int
    moment: int
    """When it was chosen."""
    query: str
    old: Sight
    new: Sight


def meetings(ledger: Ledger, old: str, new: str) -> tuple[Meeting, ...]:
    """The searches from the one that brought the first of the facts; in a long run the MOST closest to the second."""
    first, second = sorted(ledger.last.evidence[one].search for one in (old, new))
    closest = sorted((one for one in ledger.search_starts if one >= first), key=lambda one: abs(one - second))[:MOST]
    return tuple(_meeting(ledger, number, ledger.search_starts[number], old, new) for number in sorted(closest))


def _meeting(ledger: Ledger, number: int, moment: int, old: str, new: str) -> Meeting:
    event = ledger.event(moment)
    check = check_of(ledger, number) if ledger.trace.calls else None  # nothing shows what was put before the judge
    after = ledger.at(ledger.search_end(moment) - 1)
    seen = ledger.last_of(moment, ev.ContextBuilt)
    context = ledger.event(seen) if seen else None
    policy = context.evidence if isinstance(context, ev.ContextBuilt) else ()
    return Meeting(
        search=number,
        moment=moment,
        query=event.query if isinstance(event, ev.SearchChosen) else "",
        old=_sight(after, policy, check, old),
        new=_sight(after, policy, check, new),
    )


def _sight(after: State, policy: tuple[str, ...], check: Check | None, id_: str) -> Sight:
    one = after.evidence.get(id_)
    shown: Literal["", "stored", "new"] = ""
    if check is not None:
        shown = "new" if id_ in check.new else "stored" if id_ in check.stored else ""
    return Sight(standing=one.fate if one else "", policy=id_ in policy, check=shown)
