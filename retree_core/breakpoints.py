"""Breakpoints: where a run is stopped at, on a saved trace as on a live one.

A breakpoint is one line of conditions that must all hold:

=====================  ==================================================================================
`conflict_proposed`    an event of that kind; also `kind=conflict_proposed`
`role=confirm`         a model call of that role is about to be made; `role=search`: a search is
`evidence=e7`          the event names or prunes it; with `role=`, the request shows its id or its text
`node=n3`              the event names the node, or it is the current one
`context>1500`         the policy context just built has more characters; beside a kind or a role, the one in force
`text="two words"`     a text of the event, or with `role=` of the request, has them in any case
=====================  ==================================================================================
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, get_args

from retree_core.calls import Call, ModelCall, Role, SearchCall
from retree_core.errors import UsageError
from retree_core.events import EVENT_KINDS, Event
from retree_core.secrets import redact
from retree_core.state import State, apply
from retree_core.trace.reader import Trace
from retree_core.trace.records import CallRecord, EventRecord

ROLES = (*get_args(Role), "search")
"""What `role=` takes."""
_CONDITION = re.compile(r'\s*(?:(\w+)\s*(=|>)\s*("[^"]*"|\S+)|(\S+))')
_LONGEST = 60
"""Characters of a wrong condition that a message repeats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Breakpoint:
    """Conditions that must all hold; one that names a role waits for calls, any other for events."""

    text: str
    """As it was written."""
    kind: str = ""
    role: str = ""
    evidence: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    over: int | None = None
    """Policy context of more than so many characters."""
    words: tuple[str, ...] = ()
    """Looked for in texts; casefolded."""

    @classmethod
    def parse(cls, text: str) -> Breakpoint:
        """From its line. Raises UsageError.

        >>> Breakpoint.parse('role=policy context>1500 text="Two words"').words
        ('two words',)
        """
        found: dict[str, list[str]] = {}
        for name, value in _conditions(text):
            found.setdefault(name, []).append(value)
        if not found:
            raise _wrong(text, "is empty")
        for name in ("kind", "role", "context"):
            if len(found.get(name, ())) > 1:
                raise _wrong(text, f"has two conditions on {name}, which never hold together")
        if "kind" in found and "role" in found:
            raise _wrong(text, "has kind= and role=; an event is never a call")
        alone = "context" in found and "kind" not in found and "role" not in found
        return cls(
            text=" ".join(text.split()),
            kind="context_built" if alone else _first(found, "kind"),
            role=_first(found, "role"),
            evidence=tuple(found.get("evidence", ())),
            nodes=tuple(found.get("node", ())),
            over=int(found["context"][0]) if "context" in found else None,
            words=tuple(one.casefold() for one in found.get("text", ())),
        )

    @property
    def asks_memory(self) -> bool:
        """Whether it takes the state to tell; folding a long run for kinds and texts alone would be waste."""
        return bool(self.evidence or self.nodes or self.over is not None)

    def stops_at(self, event: Event, after: State) -> bool:
        """Whether an event hits, given the state after it."""
        if self.role or self.kind not in ("", event.kind):
            return False
        named = set(_strings(event))
        return (
            self._context_is_over(after)
            and all(one in named or _pruned_now(one, after) for one in self.evidence)
            and all(one in (named | {after.current}) for one in self.nodes)
            and self._has_words(named - {event.kind})
        )

    def stops_before(self, call: Call, state: State) -> bool:
        """Whether a call that is about to be made hits, given the state it is made in."""
        if self.role != (call.role if isinstance(call, ModelCall) else "search"):
            return False
        texts = tuple(_request_texts(call))
        return (
            self._context_is_over(state)
            and all(_shows(texts, one, state) for one in self.evidence)
            and all(one == state.current for one in self.nodes)
            and self._has_words(texts)
        )

    def _context_is_over(self, state: State) -> bool:
        return self.over is None or (state.context is not None and state.context.characters > self.over)

    def _has_words(self, texts: Iterable[str]) -> bool:
        if not self.words:
            return True
        folded = [one.casefold() for one in texts]
        return all(any(word in one for one in folded) for word in self.words)


def hits(trace: Trace, breakpoint: Breakpoint) -> tuple[int, ...]:
    """The moments at which a saved run stops, in order, each once; for a call the moment before it."""
    found: dict[int, None] = {}
    state = State()
    for one in trace.records:
        if isinstance(one, EventRecord):
            state = apply(state, one.event) if breakpoint.asks_memory else replace(state, moment=state.moment + 1)
            hit = breakpoint.stops_at(one.event, state)
        else:
            hit = isinstance(one, CallRecord) and breakpoint.stops_before(one.call, state)
        if hit and state.moment:
            found[state.moment] = None
    return tuple(found)


def _conditions(text: str) -> Iterator[tuple[str, str]]:
    """Name and value of each condition. Raises UsageError for one that makes no sense."""
    for name, sign, value, bare in _CONDITION.findall(text):
        name, sign, value = (name, sign, value.strip('"')) if name else ("kind", "=", bare)
        if name == "kind" and value not in EVENT_KINDS:
            raise _wrong(text, f"names no event kind: {redact(value)[:_LONGEST]!r}")
        if name == "role" and value not in ROLES:
            raise _wrong(text, f"names no role: {redact(value)[:_LONGEST]!r} (there are {', '.join(ROLES)})")
        if name == "context" and not re.fullmatch(r"[0-9]{1,9}", value):
            raise _wrong(text, f"needs a number of characters, as in context>1500, not {redact(value)[:_LONGEST]!r}")
        if sign != _SIGNS.get(name):
            raise _wrong(text, f"has no condition {redact(name + sign)[:_LONGEST]!r}")
        if not value:
            raise _wrong(text, f"says nothing after {name}{sign}")
        yield name, value


_SIGNS = {"kind": "=", "role": "=", "evidence": "=", "node": "=", "context": ">", "text": "="}


def _wrong(text: str, why: str) -> UsageError:
    shown = " ".join(redact(text).split())[:_LONGEST]
    return UsageError(
        f"breakpoint {shown!r} {why}; expected an event kind such as conflict_proposed, "
        "role=confirm, evidence=e7, node=n3, context>1500, text=word, or several of them"
    )


def _first(found: Mapping[str, list[str]], name: str) -> str:
    return found.get(name, [""])[0]


def _strings(value: Any) -> Iterator[str]:
    """Every string in an event or in JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _strings(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _strings(one)
    elif hasattr(value, "__dataclass_fields__"):
        yield from _strings(asdict(value))


def _request_texts(call: Call) -> Iterator[str]:
    if isinstance(call, SearchCall):
        yield call.query
    else:
        yield from _strings(call.body.get("messages"))


def _pruned_now(id_: str, state: State) -> bool:
    """Whether the evidence went with a node in the event that led to the state, which names nodes alone."""
    one = state.evidence.get(id_)
    return one is not None and one.pruned_at == state.moment


def _shows(texts: Iterable[str], id_: str, state: State) -> bool:
    """Whether a request holds the evidence's id or its text; judges are shown texts alone."""
    word = re.compile(rf"(?<!\w){re.escape(id_)}(?!\w)")
    known = state.evidence.get(id_)
    said = known.current.text if known else ""
    return any(word.search(one) or (said and said in one) for one in texts)
