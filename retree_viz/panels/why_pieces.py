"""What the parts of the Why panel share: ids that lead somewhere, facts with their passages, calls word for word."""

from __future__ import annotations

from collections.abc import Iterable

from retree_core.calls import CallFailed, ModelCall, SearchCall, SearchReply
from retree_core.llm.envelope import completion_of
from retree_core.secrets import redact
from retree_core.state import State
from retree_core.text import count
from retree_core.why import CallMade, Fact, Point, Ref
from retree_viz.html import Html, join, joined, spans, tag
from retree_viz.panels.call_text import folded, messages, pretty, whole
from retree_viz.panels.icons import icon
from retree_viz.panels.pieces import chip, cut, section, source_block
from retree_viz.panels.ways import at, to_call
from retree_viz.run import Run
from retree_viz.words import ref

MOST_FACTS = 60
"""Facts of one list; the rest is counted."""
MOST_HITS = 20


def known(run: Run, id_: str) -> bool:
    """Whether an id can be looked up in this run."""
    last = run.last
    claims = len(last.answer.claims) if last.answer else 0
    return (
        id_ in last.evidence
        or id_ in last.nodes
        or id_ in last.passages
        or any(id_ == f"c{number}" for number in range(1, claims + 1))
    )


def told(run: Run, words: Iterable[str]) -> Html:
    """A sentence; ids of this run are ways to them, ids that the run does not have are marked so."""
    return join(*(name(run, one) if isinstance(one, Ref) else cut(one, 3000) for one in words))


def name(run: Run, id_: str) -> Html:
    """An id as a way to it; as a word where there is nothing to go to."""
    return ref(id_) if known(run, id_) else tag("span", cut(id_, 80), cls="id missing", title="not in this run")


def fact_list(run: Run, state: State, ids: Iterable[str]) -> Html:
    """Facts with their texts, as they read in `state`."""
    every = tuple(ids)
    lines = (_listed(run, state, one) for one in every[:MOST_FACTS])
    more = tag("li", tag("span"), tag("span", f"{len(every) - MOST_FACTS:,} more", cls="mut"))
    return tag("ul", *lines, more if len(every) > MOST_FACTS else None, cls="facts")


def _listed(run: Run, state: State, id_: str) -> Html:
    """A fact with its text, or a passage with its title where an agent without facts was shown one."""
    if id_ in state.evidence:
        one = state.evidence[id_]
        return tag("li", chip(one), tag("span", cut(one.text, 400)))
    if id_ in state.passages:
        return tag("li", name(run, id_), tag("span", cut(state.passages[id_].title or "(no title)", 300)))
    return tag("li", name(run, id_), tag("span", "not in the record", cls="mut"))


def fact_card(run: Run, fact: Fact, label: str, mark: str, cls: str, differs: tuple[int, int] = (0, 0)) -> Html:
    """A fact with its passages; the words in which it differs from the other one stand out."""
    tag_name = {"old": "del", "new": "ins"}.get(cls, "b")
    words = spans(redact(fact.text)[:2000], [differs], tag_name) if fact.text else "not in the record"
    title = (
        tag("button", label, type="button", cls="id plain", data_do=f"select:{fact.id}")
        if known(run, fact.id)
        else tag("span", label, cls="id plain")
    )
    sources = (source_block(one) for one in fact.sources)
    return tag(
        "div", tag("div", icon(mark, "s"), title, cls="fh"), tag("div", words, cls="ft"), *sources, cls=f"fact {cls}"
    )


def point_list(run: Run, points: Iterable[Point]) -> Html:
    """Points in order: the event that shows it, what it is, what it says."""
    items: list[Html] = []
    before = ""
    for one in points:
        words = tag("span", told(run, one.words), cls="saying" if one.said else "")
        label = tag("span", one.label if one.label != before else "", cls="label")
        items.append(tag("li", label, words, at(one.moment, "") if one.moment else None))
        before = one.label
    return tag("ul", *items, cls="points")


def call_links(run: Run, calls: Iterable[CallMade]) -> Html | None:
    """Links to the calls that a part of the panel rests on."""
    numbers = [number for one in calls if (number := run.number_of_call(one.seq))]
    return joined(" ", map(to_call, numbers)) if numbers else None


def word_for_word(run: Run, calls: Iterable[CallMade]) -> Html | None:
    """Prompt and raw reply of calls, to be opened in place."""
    numbers = [number for one in calls if (number := run.number_of_call(one.seq))]
    if not numbers:
        return None
    head = tag(
        "summary", "Prompt and raw reply" if len(numbers) == 1 else f"Prompts and raw replies of {len(numbers)} calls"
    )
    return tag("details", head, *(_call(run, one) for one in numbers), cls="more asked")


def _call(run: Run, number: int) -> Html:
    record = run.trace.calls[number - 1]
    title = tag("h4", f"call {number}: ", "search" if isinstance(record.call, SearchCall) else record.call.role)
    reply = record.reply
    if isinstance(reply, CallFailed):
        return join(title, *_sent(record.call, number), folded("no reply", reply.message, number, opened=True))
    if isinstance(reply, SearchReply):
        hits = (tag("li", cut(one.title or "(no title)", 200)) for one in reply.hits[:MOST_HITS])
        return join(
            title,
            *_sent(record.call, number),
            tag("p", f"{count(len(reply.hits), 'hit')}:"),
            tag("ol", *hits, cls="items"),
        )
    said = completion_of(reply)
    came = (
        folded("reply", pretty(said.content), number, opened=True, cls="reply")
        if said
        else whole("not a chat completion; the raw reply is on the Calls tab", number)
    )
    thought = folded("thinking", said.reasoning, number) if said and said.reasoning else None
    return join(title, *_sent(record.call, number), thought, came)


def _sent(call: ModelCall | SearchCall, number: int) -> Iterable[Html]:
    if isinstance(call, SearchCall):
        return [folded("query", call.query, number, opened=True)]
    return [folded(one.role, one.content, number, opened=one.role == "user") for one in messages(call.body)]


def asked(run: Run, calls: tuple[CallMade, ...], title: str) -> Html | None:
    """A section of the calls an event rests on; nothing where there were none."""
    made = word_for_word(run, calls)
    if made is None:
        return None
    took = sum(one.seconds for one in calls)
    return section(title, made, aside=join(call_links(run, calls), f" · {took:.1f} s" if took else None))


def tokens_words(prompt: int, completion: int, calls: int, seconds: float, uncounted: int) -> str:
    """`11 calls · 1,080 + 270 tokens · 3.2 s`; at least so many where some calls have no count."""
    least = "at least " if uncounted else ""
    took = f" · {seconds:.1f} s" if seconds else ""
    return f"{count(calls, 'call')} · {least}{prompt:,} prompt + {completion:,} completion tokens{took}"
