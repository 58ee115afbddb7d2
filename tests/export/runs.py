"""What exports are tried on: all samples at several moments, and a run in which every text is an attack."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

from worlds import scripted_header

from retree_core import events as ev
from retree_core.calls import CallFailed, Hit, ModelCall, ModelReply, SearchCall, SearchReply
from retree_core.memory import Claim, Passage, Source
from retree_core.notes import Notes
from retree_core.trace import CallRecord, EventRecord, Trace, read_trace
from retree_viz.export import Exported
from retree_viz.run import Run
from retree_viz.tree.index import TreeIndex

SAMPLES = tuple(sorted((Path(__file__).parents[2] / "sample_runs").glob("*-*.jsonl")))
HOSTILE = (
    '</script><script>alert(1)</script><img src=x onerror=alert(1)> ]]> <!-- & " \' \\N \\" -> } \x00\x0b\ufffe\ud800 '
    "${x} `x` javascript:alert(1) \u202egnp.exe"
)


@cache
def run_of(path: Path) -> tuple[Run, TreeIndex]:
    run = Run(read_trace(path))
    return run, TreeIndex(run)


def sample(path: Path, moment: int | None = None) -> Exported:
    """A sample at a moment, by default its last."""
    run, index = run_of(path)
    return Exported(run=run, index=index, moment=run.total if moment is None else moment, notes=Notes())


def moments(path: Path) -> list[int]:
    total = run_of(path)[0].total
    return sorted({0, 1, total // 3, 2 * total // 3, total})


def of_trace(trace: Trace, moment: int | None = None, notes: Notes | None = None) -> Exported:
    run = Run(trace)
    at = run.total if moment is None else moment
    return Exported(run=run, index=TreeIndex(run), moment=at, notes=notes or Notes())


def hostile() -> Trace:
    """A run whose every text, id and address is an attack."""
    h = HOSTILE
    page = Passage(id=f"p{h}", title=h, text=f"Before {h} after.", url=f"javascript:alert(1)//{h}", published=h)
    twin = Passage(id=f"p{h.replace(chr(0), chr(11))}", title=h, text=h, url=f"https://x.example/{h}")
    source = Source(passage=page.id, quote=h, start=7, end=7 + len(h))
    facts = tuple(ev.NewFact(id=f"{n}{h}", text=f"{n} {h}", source=source) for n in ("e1", "e2"))
    events: list[ev.Event] = [
        ev.RunStarted(question=h, agent=h),
        ev.ContextBuilt(node="root", evidence=(), characters=0),
        ev.SearchChosen(search=1, query=h, origin="policy", reason=h, missing=(h,)),
        ev.PassagesRetrieved(search=1, passages=(page, twin)),
        ev.FactsExtracted(search=1, facts=facts[:1]),
        ev.NodeAdded(node=f"n{h}", parent="root", search=1, query=h, evidence=(facts[0].id,)),
        ev.SummaryWritten(node=f"n{h}", text=h, origin="model"),
        ev.SearchChosen(search=2, query=h, origin="policy"),
        ev.FactsExtracted(search=2, facts=facts[1:]),
        ev.ConflictProposed(old=facts[0].id, new=facts[1].id, reason=h),
        ev.ConflictConfirmed(old=facts[0].id, new=facts[1].id, by="confirmation", reason=h),
        ev.EvidenceRepaired(
            evidence=facts[0].id, node=f"n{h}", revision=2, by=facts[1].id, old_text=h, new_text=f"2 {h}", reason=h
        ),
        ev.StepTaken(number=1, name=h, text=h),
        ev.Answered(text=h, claims=(Claim(text=h, cites=(facts[0].id, h)),), shown=(facts[0].id,)),
        ev.RunEnded(status="answered", detail=h),
    ]
    calls = [
        CallRecord(
            seq=0,
            call=ModelCall(
                role="policy", body={"model": h, "messages": [{"role": h, "content": h}, h, None], "seed": h}
            ),
            reply=ModelReply(
                raw={"choices": [{"message": {"content": [{"text": h}]}, "finish_reason": 7}], "usage": h}
            ),
            at=h,
        ),
        CallRecord(seq=0, call=ModelCall(role="extract", body={"messages": h}), reply=ModelReply(raw={"choices": h})),
        CallRecord(seq=0, call=SearchCall(query=h, limit=5), reply=SearchReply(hits=(Hit(title=h, text=h, url=h),))),
        CallRecord(seq=0, call=SearchCall(query=h, limit=5), reply=CallFailed(failure="timeout", message=h)),
    ]
    return trace_of(events, calls, run_id=h, recorded_with=h)


def trace_of(events: list[ev.Event], calls: list[CallRecord] = [], **changes: str) -> Trace:  # noqa: B006
    """A trace of made-up records of format 1, the calls before the second event."""
    first = EventRecord(seq=1, event=events[0])
    made = [replace(one, seq=place) for place, one in enumerate(calls, 2)]
    rest = [EventRecord(seq=place, event=one) for place, one in enumerate(events[1:], 2 + len(calls))]
    question = getattr(events[0], "question", "")
    header = scripted_header(question, **changes, version=1, context_bound=None)
    return Trace(name="made.jsonl", header=header, records=(first, *made, *rest))
