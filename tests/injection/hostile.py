"""Texts that try to be more than text, and runs that have them in every place where outside text can stand."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count, cycle, islice
from pathlib import Path
from typing import Any

from stubs import completion
from worlds import SETTINGS, Script, answer, confirm, conflict, facts, hit, scripted_header, search, stop, summary

from retree_core import events as ev
from retree_core.calls import Attempt, CallFailed, Hit, ModelCall, ModelReply, SearchCall, SearchReply
from retree_core.memory import Claim, Passage, Source
from retree_core.notes import Notes
from retree_core.settings import Settings
from retree_core.trace import CallRecord, EventRecord, Trace
from retree_core.trace.records import (
    BoundaryRecord,
    ForkOrigin,
    MakerRecord,
    PromptRecord,
    Record,
    RuleRecord,
    call_name,
)
from retree_core.verdicts import GuardResult

PAYLOADS: Mapping[str, str] = json.loads(Path(__file__).with_name("payloads.json").read_text(encoding="ascii"))
"""Name to text; the name says what the text tries."""
LONGEST = 400
"""Of those that are put into everything at once, so that every page can hold all of them."""
SHORT = {name: text for name, text in PAYLOADS.items() if len(text) <= LONGEST}
EVERYTHING = " ".join(SHORT.values())

_FILLERS = "\u115f\u1160\u3164"
_JOINERS = "\u200c\u200d"


def is_hidden(character: str) -> bool:
    """Whether a character shows nothing, acts or moves others, by the Unicode database; not line breaks, tabs."""
    kind = unicodedata.category(character)
    hidden = kind in ("Cc", "Cf", "Cs", "Zl", "Zp") or character in _FILLERS
    return hidden and character not in f"\n\t{_JOINERS}"


def as_shown(text: str) -> str:
    """The text as a page shows it: hidden characters by their number."""
    return "".join(f"U+{ord(one):04X}" if is_hidden(one) else one for one in text)


# A run whose every text is a payload: it cannot have happened, and can be opened all the same.


def settings(text: str) -> Settings:
    return replace(SETTINGS, model=text)


def trace(texts: Sequence[str] = tuple(PAYLOADS.values()), question: str = EVERYTHING) -> Trace:
    """One search for each text, all that came of it full of that text; ids are made of texts too."""
    records: list[Record] = []

    def add(event: ev.Event, *because: int) -> None:
        records.append(EventRecord(seq=len(records) + 1, event=event, at=question[:40], because=because))

    add(ev.RunStarted(question=question, agent="retree"))
    known = "root"
    for number, text in enumerate(texts, 1):
        records += _engine(len(records) + 1, text)
        asked: dict[str, int] = {}
        for call, reply, read in _calls(text):
            seq = asked[call_name(call)] = len(records) + 1
            tries = (Attempt(failure="timeout", message=text, waited_s=0.1),)
            records.append(CallRecord(seq=seq, call=call, reply=reply, at=text[:60], failed_attempts=tries, read=read))
        node, fact = f"n{number}{text[:60]}", f"e{number}{text[:60]}"
        for event in _search(number, text, node, fact, known):
            cause = _CAUSES.get(event.kind)
            add(event, *([asked[cause]] if cause else asked.values()))
        known = node
    last, first = f"e{len(texts)}{texts[-1][:60]}", f"e1{texts[0][:60]}"
    for event in _repair(texts, first, last):
        add(event)
    header = scripted_header(
        question,
        settings(question),
        run_id=question[:200],
        created_at=question[:60],
        recorded_with=question,
        server={"model": question, question[:50]: question},
        search={"provider": question},
        search_spec=f"corpus:{question}",
        package_version=question[:60],
        fork=ForkOrigin(run_id=question[:100], moment=1, edit=question),
        extra={question[:50]: question},
    )
    return Trace(name="hostile.jsonl", header=header, records=tuple(records))


_CAUSES = {
    "reply_rejected": "policy",
    "search_chosen": "policy",
    "passages_retrieved": "search",
    "facts_extracted": "extract",
    "conflict_proposed": "conflict",
}
"""Kind of event to the call that it comes from."""


def _engine(seq: int, text: str) -> list[Record]:
    """What makes a run repeatable, made of a text."""
    ranked = {"order": [text], "scores": [1], text: text}
    return [
        MakerRecord(seq=seq, package=text, engine=text, renderer=text, reader=text),
        PromptRecord(seq=seq + 1, name=text, text=text),
        BoundaryRecord(seq=seq + 2, step=0, state={text: text, "nodes": text}),
        RuleRecord(seq=seq + 3, rule="context", hash=text, inputs=text, reply=ranked),
        RuleRecord(seq=seq + 4, rule=text, hash=text, inputs=text, reply={text: [text]}),
    ]


def _calls(text: str) -> list[tuple[ModelCall | SearchCall, Any, Any]]:
    """Calls with their replies, and what was made of them."""
    body = {"model": text, "messages": [{"role": text, "content": text}, {"role": "user", "content": text}]}
    raw = completion(text, reasoning_content=text, finish_reason=text, model=text, id=text)
    page = Hit(title=text, text=text, url=text, published=text)
    return [
        (ModelCall(role="policy", body=body), ModelReply(raw=raw), {"fault": {"kind": text, "text": text}}),
        (ModelCall(role="extract", body=body), CallFailed(failure="bad_request", message=text), {text: text}),
        (ModelCall(role="conflict", body=body), ModelReply(raw=raw), {"value": {text: text, "pairs": [text]}}),
        (SearchCall(query=text, limit=5), SearchReply(hits=(page,)), None),
    ]


def _search(number: int, text: str, node: str, fact: str, parent: str) -> list[ev.Event]:
    page = Passage(id=f"p{number}{text[:60]}", title=text, text=f"Read: {text}", url=text, published=text)
    source = Source(passage=page.id, quote=text, start=6, end=6 + len(text)) if text else None
    found = ev.NewFact(id=fact, text=text, source=source or Source(passage=page.id, quote=""))
    again = replace(found, id=f"d{number}{text[:60]}")
    guards = (GuardResult(name=text, passed=False, detail=text),)
    return [
        ev.ContextBuilt(node=parent, evidence=(), characters=number),
        ev.ReplyRejected(role="policy", attempt=1, reason=text),
        ev.SearchChosen(search=number, query=text, origin="policy", reason=text, missing=(text,)),
        ev.PassagesRetrieved(search=number, passages=(page,)),
        ev.FactsExtracted(search=number, facts=(found, again)),
        ev.FactRebound(text=text, named=text, passage=page.id, missing=(text,)),
        ev.FactDropped(text=text, cause="unsupported", detail=text),
        ev.DuplicateFound(fact=again.id, of=fact),
        ev.ConflictProposed(old=fact, new=again.id, reason=text),
        ev.ConflictRejected(old=fact, new=again.id, by="guard", reason=text, guards=guards),
        ev.NodeAdded(node=node, parent=parent, search=number, query=text, evidence=(fact,)),
        ev.SummaryWritten(node=node, text=text, origin="model", invented=(text,)),
        ev.SummaryStale(node=node, text=text, value=text),
        ev.SummaryDiscarded(parent=node, text=text, evidence=fact),
    ]


def _repair(texts: Sequence[str], first: str, last: str) -> list[ev.Event]:
    """The first fact is repaired by the last, which prunes all but the first node; then the answer says everything."""
    nodes = [f"n{number}{text[:60]}" for number, text in enumerate(texts, 1)]
    claims = tuple(Claim(text=text, cites=(f"e{n}{text[:60]}", text)) for n, text in enumerate(texts, 1))
    said = "\n".join(texts)
    return [
        ev.SearchFailed(search=len(texts), failure="bad_request", message=said),
        ev.ConflictProposed(old=first, new=last, reason=said),
        ev.ConflictConfirmed(old=first, new=last, by="confirmation", reason=said),
        ev.EvidenceRepaired(
            evidence=first,
            node=nodes[0],
            revision=2,
            by=last,
            old_text=texts[0],
            new_text=texts[-1] or "x",
            reason=said,
        ),
        ev.NodesPruned(nodes=tuple(nodes[1:]), evidence=first),
        ev.SearchResumed(node=nodes[0]),
        ev.StopRefused(evidence=tuple(texts), reason=said),
        ev.StopChosen(evidence=(first,), reason=said),
        ev.Answered(text=said, claims=claims, shown=(first,)),
        ev.RunEnded(status="answered", detail=said),
    ]


def notes(texts: Sequence[str] = tuple(PAYLOADS.values())) -> Notes:
    """A note of each text, all of whose fields are that text."""
    made = [
        {"id": f"{number}", "at": text, "kind": "note", "moment": number, "text": text, "old": text, "tags": [text]}
        for number, text in enumerate(texts, 1)
    ]
    again = {"id": "r", "at": EVERYTHING, "kind": "rerun", "call": 1, "model": EVERYTHING, "server": EVERYTHING}
    said = {"messages": [{"role": EVERYTHING, "content": EVERYTHING}], "reply": completion(EVERYTHING)}
    label = {"id": "l", "kind": "label", "moment": 5, "verdict": "wrong", "old": EVERYTHING, "new": EVERYTHING}
    return Notes(trace=EVERYTHING, notes=(*made, {**again, **said}, label))


# Runs that do happen, in a world that says payloads.


def script(texts: Sequence[str]) -> Script:
    """A model that says the texts in all that it says, turn by turn, and conflicts where it can."""
    turn, searches = cycle(texts), count(1)

    def policy(_: ModelCall) -> Any:
        said, number = next(turn), next(searches)
        if number > 3:
            return stop("e1", "p1", said, reason=said)
        return search(f"{said} {number}", reason=said, missing=[said])

    def extract(call: ModelCall) -> Any:
        ends = re.findall(r"^Passage (\d+): .*\n.* is (\d+)$", call.body["messages"][-1]["content"], re.MULTILINE)
        return facts(*((int(place), f"{next(turn)} is {number}") for place, number in ends))

    def judge(call: ModelCall) -> Any:
        _, new = call.body["messages"][-1]["content"].split("\nNew facts\n")
        return conflict(("e1", new.partition("[")[2].partition("]")[0], next(turn)))

    return {
        "policy": policy,
        "extract": extract,
        "conflict": judge,
        "confirm": lambda _: confirm(reason=next(turn), question=next(turn)),
        "summarise": lambda _: summary(next(turn) or "x"),
        "report": lambda _: {"report": next(turn) or "x"},
        "answer": lambda _: answer(next(turn) or "x", (next(turn), ["e1", next(turn)])),
    }


def found(texts: Sequence[str]) -> Any:
    """A search that brings pages of the texts, turn by turn."""
    turn = cycle(texts)

    numbers = count(1901)

    def pages(_: SearchCall) -> list[Hit]:
        return [hit(f"{text} is {next(numbers)}", text, published=text) for text in islice(turn, 2)]

    return pages
