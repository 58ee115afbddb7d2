"""One invented run to draw and test with: a repair that prunes three nodes, and all that leads to it.

Search 2 brings a wrong architect (e3). Searches 3 to 5 build on it; one challenge is rejected by a guard.
Search 6 brings the archive's drawings: e3 is repaired at n2, n3 to n5 are pruned, two facts set aside.
"""

from __future__ import annotations

from typing import Any

from retree_core import events as ev
from retree_core.memory import Claim, Passage, Source
from retree_core.settings import Settings
from retree_core.trace import CallRecord, EventRecord, Header, Trace

QUESTION = "In which town was the architect of the Aldermoor Observatory born?"

TEXTS: dict[str, tuple[str, str, str]] = {
    "p1": ("Aldermoor Hill", "hill.example", "Aldermoor Observatory stands on Aldermoor Hill above Wexford Vale."),
    "p2": ("Observatories of Wexshire", "skies.example", "The observatory opened to the public in May 1931."),
    "p7": (
        "Aldermoor Observatory",
        "wexshire-heritage.example",
        "Built in 1931 for the county's astronomical society, it was designed by Edmund Harcastle, then surveyor, "
        "whose name is on the foundation stone.",
    ),
    "p8": ("Domes and towers", "domes.example", "Its dome is of riveted copper."),
    "p11": ("County officers", "officers.example", "Edmund Harcastle was county surveyor from 1920, born in Thornby."),
    "p12": ("A walk to the dome", "walks.example", "Opened in May 1931, the observatory can be reached on foot."),
    "p15": ("Thornby parish register", "parish.example", "Edmund, son of John Harcastle, baptised June 1878."),
    "p18": ("Listed buildings", "lists.example", "The extension of 1968 was designed by Ada Brandt."),
    "p24": (
        "The Aldermoor drawings",
        "archive.wexshire.example",
        "Long credited to the surveyor who signed the contract, the observatory was designed by Ines Falkenrath, "
        "as the drawings found in 2019 show.",
    ),
    "p28": ("Falkenrath, Ines", "lexikon.example", "Ines Falkenrath, born in Kaltenbrück in 1889, studied in Graz."),
}
"""Passages that facts come from: title, host, text. The others are filled in."""

_PUBLISHED = {"p7": "2004", "p24": "2021"}


def passage(number: int) -> Passage:
    id_ = f"p{number}"
    title, host, text = TEXTS.get(id_, (f"Page {number}", f"page{number}.example", f"Nothing of use on page {number}."))
    return Passage(id=id_, title=title, text=text, url=f"https://{host}/{number}", published=_PUBLISHED.get(id_))


def fact(id_: str, text: str, source: str, quote: str) -> ev.NewFact:
    body = TEXTS[source][2]
    start = body.find(quote)
    located = {"start": start, "end": start + len(quote)} if start >= 0 else {}
    return ev.NewFact(id=id_, text=text, source=Source(passage=source, quote=quote, **located))


def _search(
    number: int, node: str, shown: tuple[str, ...], query: str, pages: range, facts: list[ev.NewFact], **choice: Any
) -> list[ev.Event]:
    before: list[ev.Event] = []
    if choice.get("origin") != "forced":
        before = [ev.ContextBuilt(node=node, evidence=shown, characters=90 + 320 * min(len(shown), 5))]
    return [
        *before,
        ev.SearchChosen(
            search=number, query=query, origin=choice.get("origin", "policy"), reason=choice.get("reason", "")
        ),
        ev.PassagesRetrieved(search=number, passages=tuple(passage(one) for one in pages)),
        ev.FactsExtracted(search=number, facts=tuple(facts)),
    ]


def _grown(node: str, parent: str, number: int, query: str, evidence: tuple[str, ...], summary: str) -> list[ev.Event]:
    return [
        ev.NodeAdded(node=node, parent=parent, search=number, query=query, evidence=evidence),
        ev.SummaryWritten(node=node, text=summary, origin="model"),
    ]


def story() -> list[ev.Event]:
    """The run's events; `moment` finds one by its kind."""
    refused = "no shown evidence names a birthplace of the architect"
    return [
        ev.RunStarted(question=QUESTION, agent="retree"),
        *_search(
            1,
            "root",
            (),
            "Aldermoor Observatory",
            range(1, 6),
            [
                fact("e1", "The Aldermoor Observatory stands on Aldermoor Hill.", "p1", "stands on Aldermoor Hill"),
                fact("e2", "The Aldermoor Observatory opened in May 1931.", "p2", "opened to the public in May 1931"),
            ],
        ),
        *_grown(
            "n1",
            "root",
            1,
            "Aldermoor Observatory",
            ("e1", "e2"),
            "An observatory on Aldermoor Hill, opened in May 1931. Missing: its architect and where they were born.",
        ),
        *_search(
            2,
            "n1",
            ("e1", "e2"),
            "Aldermoor Observatory architect",
            range(6, 11),
            [
                fact(
                    "e3",
                    "The Aldermoor Observatory was designed by Edmund Harcastle.",
                    "p7",
                    "it was designed by Edmund Harcastle",
                ),
                fact("e4", "The dome of the observatory is of copper.", "p8", "dome is of riveted copper"),
            ],
        ),
        *_grown(
            "n2",
            "n1",
            2,
            "Aldermoor Observatory architect",
            ("e3", "e4"),
            "Designed by Edmund Harcastle; opened in 1931. Missing: where Harcastle was born.",
        ),
        *_search(
            3,
            "n2",
            ("e1", "e2", "e3", "e4"),
            "Edmund Harcastle born",
            range(11, 16),
            [
                fact("e5", "Edmund Harcastle was county surveyor.", "p11", "county surveyor"),
                fact("e6", "Edmund Harcastle was born in Thornby.", "p11", "born in Thornby"),
                fact("e7", "Harcastle held the office of surveyor from 1920.", "p11", "from 1920"),
                fact("e8", "Aldermoor Observatory opened in May 1931.", "p12", "Opened in May 1931"),
            ],
        ),
        ev.DuplicateFound(fact="e8", of="e2"),
        *_grown(
            "n3", "n2", 3, "Edmund Harcastle born", ("e5", "e6", "e7"), "County surveyor from 1920; born in Thornby."
        ),
        *_search(
            4,
            "n3",
            ("e3", "e5", "e6", "e7", "e2"),
            "Harcastle Thornby baptism",
            range(15, 18),
            [
                fact("e9", "Edmund Harcastle was baptised in June 1878.", "p15", "baptised June 1878"),
                fact("e10", "Edmund Harcastle's father was John Harcastle.", "p15", "son of John Harcastle"),
            ],
        ),
        *_grown(
            "n4", "n3", 4, "Harcastle Thornby baptism", ("e9", "e10"), "Baptised at Thornby, June 1878, son of John."
        ),
        ev.ContextBuilt(node="n4", evidence=("e3", "e6", "e9", "e5", "e10"), characters=1212),
        ev.StopRefused(evidence=(), reason=refused),
        ev.StopRefused(evidence=("e99",), reason=refused),
        *_search(
            5,
            "n4",
            (),
            QUESTION,
            range(18, 22),
            [
                fact("e11", "The observatory is a listed building.", "p18", "listed"),
                fact(
                    "e12",
                    "The extension of 1968 was designed by Ada Brandt.",
                    "p18",
                    "extension of 1968 was designed by Ada Brandt",
                ),
            ],
            origin="forced",
        ),
        ev.ConflictProposed(
            old="e3", new="e12", reason="Both name a designer of the observatory, and the names differ."
        ),
        ev.ConflictRejected(
            old="e3", new="e12", by="guard", reason="e12 is about the extension of 1968, e3 about the building"
        ),
        *_grown("n5", "n4", 5, QUESTION, ("e11", "e12"), "Listed building; extension of 1968 by Ada Brandt."),
        *_search(
            6,
            "n5",
            ("e3", "e6", "e9", "e11", "e12"),
            "Aldermoor original drawings",
            range(22, 27),
            [
                fact(
                    "e13",
                    "The Aldermoor Observatory was designed by Ines Falkenrath.",
                    "p24",
                    "the observatory was designed by Ines Falkenrath",
                ),
                fact("e14", "The original drawings were found in 2019.", "p24", "drawings found in 2019"),
                fact("e15", "The surveyor signed the contract.", "p24", "the surveyor who signed the contract"),
            ],
        ),
        ev.ConflictProposed(old="e3", new="e13", reason="The same building, the same attribute, another name."),
        ev.ConflictConfirmed(
            old="e3",
            new="e13",
            by="confirmation",
            reason="The archive describes the original drawings and says why the older credit was wrong. "
            "The heritage page only repeats the foundation stone.",
        ),
        ev.EvidenceRepaired(
            evidence="e3",
            node="n2",
            revision=2,
            by="e13",
            old_text="The Aldermoor Observatory was designed by Edmund Harcastle.",
            new_text="The Aldermoor Observatory was designed by Ines Falkenrath.",
            reason="The archive describes the original drawings and says why the older credit was wrong.",
        ),
        ev.SummaryWritten(
            node="n2",
            origin="regenerated",
            text="Designed by Ines Falkenrath, not by the county surveyor. Missing: where she was born.",
        ),
        ev.NodesPruned(nodes=("n3", "n4", "n5"), evidence="e3"),
        ev.SearchResumed(node="n2"),
        ev.FactsSetAside(facts=("e14", "e15")),
        *_search(
            7,
            "n2",
            ("e3", "e1", "e2", "e4"),
            "Ines Falkenrath architect born",
            range(27, 31),
            [
                fact("e16", "Ines Falkenrath was born in Kaltenbrück in 1889.", "p28", "born in Kaltenbrück in 1889"),
                fact("e17", "Ines Falkenrath was born in 1889.", "p28", "in 1889"),
                fact("e18", "Ines Falkenrath studied in Graz.", "p28", "studied in Graz"),
            ],
        ),
        *_grown("n6", "n2", 7, "Ines Falkenrath architect born", ("e16", "e17", "e18"), "Born in Kaltenbrück in 1889."),
        ev.ContextBuilt(node="n6", evidence=("e3", "e16", "e17", "e18", "e2"), characters=1041),
        ev.StopChosen(evidence=("e3", "e16"), reason="Architect and birthplace are both known."),
        ev.Answered(
            text="Kaltenbrück",
            claims=(
                Claim(text="The Aldermoor Observatory was designed by Ines Falkenrath.", cites=("e3",)),
                Claim(text="Falkenrath was born in Kaltenbrück in 1889.", cites=("e16",)),
                Claim(text="The observatory opened in May 1931.", cites=("e2",)),
            ),
            shown=("e3", "e16", "e17", "e18", "e2"),
        ),
        ev.RunEnded(status="answered"),
    ]


def moment(kind: str, nth: int = 1) -> int:
    """The moment after the `nth` event of a kind (from 1) in the story."""
    return [number for number, one in enumerate(story(), 1) if one.kind == kind][nth - 1]


def trace_of(events: list[ev.Event], question: str = QUESTION, calls: tuple[CallRecord, ...] = ()) -> Trace:
    """A trace of format 1 that holds these events and nothing else (or these calls first)."""
    header = Header(
        run_id="story",
        created_at="2026-11-29T12:00:00.000Z",
        question=question,
        settings=Settings(),
        recorded_with="scripted",
        version=1,
    )
    first = len(calls) + 1
    records = tuple(EventRecord(seq=number, event=one) for number, one in enumerate(events, first))
    return Trace(name="story.jsonl", header=header, records=(*calls, *records))


def story_trace() -> Trace:
    """The story as a trace."""
    return trace_of(story())
