"""Two replies to one call side by side: the recorded one and one that came later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from retree_core.calls import ModelCall, ModelReply, Reply
from retree_core.llm.envelope import completion_of
from retree_core.secrets import redact
from retree_core.text import count
from retree_core.text.difference import Stretch, word_difference
from retree_core.why.calls import Read, read_reply
from retree_viz.html import Html, join, tag
from retree_viz.panels.call_one import NOT_SAID, not_valid, tokens_in, tokens_out
from retree_viz.panels.call_text import laid_out, messages, pretty
from retree_viz.panels.pieces import cut, cut_note, rows, said
from retree_viz.panels.wording import marked

LONGEST_COMPARED = 20_000
"""Characters of a reply that are compared word by word."""
AROUND = 200
"""Characters of an unchanged stretch of a prompt that are shown on either side."""
MOST_EDITED = 12
"""Edited messages that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A call with the reply it got."""

    title: str
    call: ModelCall
    reply: Reply
    seconds: float
    read: Read | None = None
    """What was made of the reply; None where nobody has read it yet."""


def side_by_side(old: Made, new: Made) -> Html:
    """Both replies with what differs marked in words, what the engine reads in them, and what they took."""
    before, after = _written(old.reply), _written(new.reply)
    parts = word_difference(before[:LONGEST_COMPARED], after[:LONGEST_COMPARED])
    verdict = "The replies are the same, word for word." if before == after else "Marked: what only one reply says."
    return tag(
        "div",
        _prompt(old.call, new.call),
        said("check" if before == after else "compare", verdict),
        tag("div", _side(old, before, _only(parts, "gone")), _side(new, after, _only(parts, "new")), cls="replies"),
        cls="cp",
    )


def _prompt(old: ModelCall, new: ModelCall) -> Html:
    """What was edited in the prompt, message by message."""
    pairs = zip_longest(*((redact(one.content) for one in messages(each.body)) for each in (old, new)), fillvalue="")
    edited = [(place, before, after) for place, (before, after) in enumerate(pairs, 1) if before != after]
    if not edited:
        return said("dash", "The prompt is the recorded one.")
    parts = (
        join(tag("h4", f"Message {place}"), tag("pre", *map(_stretch, word_difference(before, after))))
        for place, before, after in edited[:MOST_EDITED]
    )
    head = tag("summary", tag("b", "Prompt edited"), tag("span", count(len(edited), "message"), cls="aside"))
    return tag("details", head, *parts, cls="fold side", open=True)


def _stretch(one: Stretch) -> Html:
    """A stretch of a prompt; what stayed the same is cut in its middle."""
    if one.kind != "same" or len(one.text) <= 2 * AROUND:
        return marked([one])
    left_out = tag("span", f"… {len(one.text) - 2 * AROUND:,} equal characters …", cls="cutnote")
    return join(one.text[:AROUND], left_out, one.text[-AROUND:])


def _written(reply: Reply) -> str:
    completion = completion_of(reply)
    return redact(pretty(completion.content)) if completion else ""  # before it is taken apart, which could hide a key


def _only(parts: Sequence[Stretch], kind: str) -> Html:
    return marked(one for one in parts if one.kind in ("same", kind))


def _side(made: Made, written: str, shown: Html) -> Html:
    completion = completion_of(made.reply)
    note = cut_note(LONGEST_COMPARED, len(written))
    took = [
        ("Tokens in", tokens_in(completion.usage) if completion else NOT_SAID),
        ("Tokens out", tokens_out(completion.usage) if completion else NOT_SAID),
        ("Seconds", f"{made.seconds:.2f}"),
        ("Finish", (completion.finish_reason if completion else None) or NOT_SAID),
        ("Model", cut((completion.model if completion else None) or NOT_SAID, 200)),
        ("Sampling", _sampling(made.call.body)),
    ]
    thought = completion.reasoning if completion else ""
    return tag(
        "section",
        tag("h4", made.title),
        tag("pre", shown if written else "(empty)", note),
        tag("h4", "Parsed value"),
        _value(made),
        tag("details", tag("summary", "Thinking"), tag("pre", cut(thought)), cls="fold") if thought else None,
        tag("h4", "Took"),
        rows(took),
        cls="side",
    )


def _sampling(body: Mapping[str, Any]) -> str:
    return redact(f"temperature {body.get('temperature', NOT_SAID)} · seed {body.get('seed', NOT_SAID)}")[:200]


def _value(made: Made) -> Html:
    read = made.read or read_reply(made.call, made.reply)
    if read.value is None:
        return not_valid(read)
    return tag("div", laid_out(read.value), cls="value")


def kept(call: ModelCall, note: Mapping[str, Any]) -> Made | None:
    """The re-run that a note keeps; None where the note holds no reply."""
    raw, seconds = note.get("reply"), note.get("seconds")
    if not isinstance(raw, Mapping):
        return None
    sent = {name: note[name] for name in ("model", "messages", "temperature", "seed") if name in note}
    took = float(seconds) if isinstance(seconds, int | float) else 0.0
    made = ModelCall(role=call.role, body={**call.body, **sent})
    return Made(
        title=redact(f"Re-run of {note.get('at', '')}")[:60], call=made, reply=ModelReply(raw=raw), seconds=took
    )
