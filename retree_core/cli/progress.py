"""A line per step of a run, as its records come to be."""

from __future__ import annotations

from retree_core import events as ev
from retree_core.calls import CallFailed
from retree_core.llm.envelope import thinks_unasked
from retree_core.settings import Settings
from retree_core.state import State, apply
from retree_core.terminal import Lines, printable, short
from retree_core.text import count
from retree_core.trace import CallRecord, EventRecord, Record
from retree_core.why.deciding import decided_by, ending

THINKS = "the model thinks though thinking is off: its server does not heed enable_thinking, so do not pool this run"


class Progress:
    """Told of every record (`drivers.session.Watch`), says what a person watching wants to know."""

    def __init__(self, settings: Settings, lines: Lines, state: State | None = None) -> None:
        """`state` is that of the records before, where a run is resumed."""
        self._most = settings.max_searches
        self._lines = lines
        self._state = state or State()
        self._thought = False

    def __call__(self, record: Record) -> None:
        if isinstance(record, EventRecord):
            text = self._words(record.event)
            self._state = apply(self._state, record.event)
        else:
            text = self._of_call(record) if isinstance(record, CallRecord) else ""
        if text:
            self._lines.say(text)

    def _words(self, event: ev.Event) -> str:
        match event:
            case ev.SearchChosen():
                forced = " (forced)" if event.origin == "forced" else ""
                return f'search {event.search}/{self._most} "{short(event.query)}"{forced}'
            case ev.PassagesRetrieved():
                again = f" (again, from search {event.repeat_of})" if event.repeat_of else ""
                return f"  {count(len(event.passages), 'passage')}{again}"
            case ev.FactsExtracted():
                return f"  {count(len(event.facts), 'fact')}"
            case ev.ConflictProposed():
                return f"  conflict? {self._fact(event.old)} <> {self._fact(event.new)}"
            case ev.EvidenceRepaired():
                new = short(event.new_text, 70)
                return f"  REPAIR {printable(event.evidence)} at {printable(event.node)}, now: {new}"
            case ev.NodeAdded():
                return f"  new node {printable(event.node)} below {printable(event.parent)}"
            case _:
                return _plain_words(event)

    def _of_call(self, record: CallRecord) -> str:
        if isinstance(record.reply, CallFailed):
            return f"  call failed ({record.reply.failure}): {printable(record.reply.message)}"
        if self._thought or not thinks_unasked(record.call, record.reply):
            return ""
        self._thought = True
        return f"  {THINKS}"

    def _fact(self, id_: str) -> str:
        one = self._state.evidence.get(id_)
        return f"{printable(id_)} {short(one.text, 50)}" if one else printable(id_)


def _plain_words(event: ev.Event) -> str:
    """Events that need no state to be said; empty for those that go without a line."""
    match event:
        case ev.ReplyRejected():
            return f"  {event.role} reply {event.attempt} not valid: {short(event.reason)}"
        case ev.StopRefused():
            return f"stop refused: {short(event.reason)}"
        case ev.SearchFailed():
            return f"  search failed ({event.failure}): {printable(event.message)}"
        case ev.FactDropped():
            return f"  fact dropped ({event.cause}): {short(event.text, 60)}"
        case ev.DuplicateFound():
            return f"  {printable(event.fact)} restates {printable(event.of)}"
        case ev.ConflictRejected():
            return f"  rejected by {short(ending(decided_by(event), event.reason))}"
        case ev.ConflictConfirmed():
            return f"  confirmed by {short(ending(decided_by(event), event.reason))}"
        case ev.NodesPruned():
            return f"  pruned {printable(', '.join(event.nodes))}"
        case ev.SearchResumed():
            return f"  search resumes at {printable(event.node)}"
        case ev.FactsSetAside():
            return f"  set aside {printable(', '.join(event.facts))}"
        case ev.FactsAdded():
            return f"  added {printable(', '.join(event.facts))}"
        case ev.SummaryStale():
            return f"  summary still said {short(event.value, 40)}, written again"
        case ev.SummaryDiscarded():
            return f"  summary written ahead for a child of {printable(event.parent)} discarded"
        case ev.SummaryWritten():
            return f"  summary of {printable(event.node)} ({event.origin}, {count(len(event.text.split()), 'word')})"
        case ev.BudgetExhausted():
            return f"budget exhausted after {count(event.searches, 'search', 'searches')}"
        case ev.Answered():
            return f"answer: {short(event.text)}"
        case ev.RunEnded():
            return f"ended: {event.status}" + (f", {printable(event.detail)}" if event.detail else "")
        case _:
            return ""
