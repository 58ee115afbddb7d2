"""One model call: what was sent, what came back, how the engine read it, what it took."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from retree_core.calls import CallFailed, ModelCall, ModelReply
from retree_core.llm.envelope import Completion, Usage, completion_of
from retree_core.text import count
from retree_core.trace.chat import replied
from retree_core.why.calls import CallLine, Read, reply_name, schema_of
from retree_core.why.deciding import dotted
from retree_viz.html import Child, Html, join, tag, visible
from retree_viz.panels.call_text import as_json, folded, laid_out, messages, pretty, whole
from retree_viz.panels.pieces import cut, flag, rows, said
from retree_viz.panels.ways import act, to_call, to_moment
from retree_viz.run import Run
from retree_viz.words import markup, sentence

NOT_SAID = "not reported"
MOST_MESSAGES = 60
"""Messages of a call that are shown one by one."""
_LAID_OUT = ("messages", "response_format", "model")
"""Fields of a request with a place of their own; all others are settings."""


def model_call(run: Run, line: CallLine) -> Html:
    """All of one model call."""
    call = line.record.call
    assert isinstance(call, ModelCall)
    completion = completion_of(line.record.reply)
    return join(
        tries(line),
        rejection(run, line),
        _figures(run, line, completion),
        _actions(line),
        _reply(line, call, completion),
        _sent(line, call, completion),
    )


def marks(line: CallLine) -> Html:
    """What wants a look, each with its sign and word."""
    record = line.record
    failed = len(record.failed_attempts)
    return join(
        flag("cross", "no reply", "conflict") if line.failed else None,
        flag("clock", count(failed, "failed try", "failed tries")) if failed else None,
        flag("warning", "not taken") if line.rejected else None,
        flag("dash", "empty reply") if line.empty else None,
        flag("pen", "edited") if record.edited else None,
        flag("dash", "discarded") if line.discarded else None,
    )


def tries(line: CallLine) -> Html | None:
    """Tries that failed before the one that counts, with the pause after each."""
    made = line.record.failed_attempts
    edited = tag("p", flag("pen", "This reply was put here by a fork; nobody sent it.")) if line.record.edited else None
    if not made:
        return edited
    items = (
        tag(
            "li",
            tag("b", one.failure.replace("_", " ")),
            tag("span", f"then waited {one.waited_s:.1f} s", cls="aside num"),
            tag("p", cut(one.message, 600)),
        )
        for one in made
    )
    return join(edited, tag("h4", count(len(made), "try failed", "tries failed")), tag("ol", *items, cls="tries"))


def rejection(run: Run, line: CallLine) -> Html | None:
    """What the engine had against the reply, or that this call repeats one whose reply it did not take."""
    if line.rejected:
        after = _next_try(run, line)
        went_on = join(" Asked again: ", to_call(after), ".") if after else " It was not asked again."
        why = join(f"The engine did not take this reply (attempt {line.attempt}): ", cut(dotted(line.rejected), 600))
        return said("warning", why, went_on, tone="refuse")
    if line.attempt > 1:
        return said("back", f"Attempt {line.attempt}: the reply of ", to_call(line.number - 1), " was not taken.")
    return None


def _next_try(run: Run, line: CallLine) -> int | None:
    later = run.call_lines[line.number] if line.number < len(run.call_lines) else None
    return later.number if later and later.role == line.role and later.attempt == line.attempt + 1 else None


def _reply(line: CallLine, call: ModelCall, completion: Completion | None) -> Html:
    reply = line.record.reply
    if isinstance(reply, CallFailed):
        failure = flag("cross", reply.failure.replace("_", " "), "conflict")
        return tag("div", tag("h4", "No reply"), failure, whole(reply.message, line.number), cls="part")
    if call.role == "imported" and isinstance(reply, ModelReply):  # no schema of ours was asked of it
        shown = folded("Reply", pretty(replied(reply.raw)), line.number, opened=True)
        return tag("div", shown, folded("Response body", as_json(reply.raw), line.number), cls="part")
    read = line.read
    written = pretty(completion.content) if completion else ""
    return tag(
        "div",
        _value(read, call),
        folded("Reply as written", written, line.number, opened=read.value is None) if completion else None,
        folded("Thinking", completion.reasoning, line.number) if completion and completion.reasoning else None,
        folded("Response body", as_json(reply.raw), line.number) if isinstance(reply, ModelReply) else None,
        cls="part",
    )


def _value(read: Read, call: ModelCall) -> Html:
    """The reply as the engine reads it."""
    if read.value is None:
        return tag("div", tag("h4", "Parsed value"), not_valid(read))
    shorter = f"cut to its bound: {visible(', '.join(read.cut))[:200]}" if read.cut else None
    head = tag("h4", "Parsed value", tag("span", f"as {reply_name(call)}", cls="aside mono"))
    note = flag("dash", shorter) if shorter else None
    return tag("div", head, laid_out(read.value), note, cls="value")


def not_valid(read: Read) -> Html:
    """Why a reply is not what was asked for."""
    return said("cross", "Does not validate: ", cut(read.trouble, 600), tone="conflict")


def _sent(line: CallLine, call: ModelCall, completion: Completion | None) -> Html:
    sent = messages(call.body)
    last = len(sent) - 1
    shown = [
        folded(f"{one.role} message", one.content, line.number, opened=place == last)
        for place, one in enumerate(sent[:MOST_MESSAGES])
    ]
    more = (
        tag("p", f"{len(sent) - MOST_MESSAGES:,} more messages are in the JSON.", cls="mut")
        if last >= MOST_MESSAGES
        else None
    )
    nothing = None if sent else tag("p", "The request holds no messages.", cls="mut")
    schema = schema_of(call.body)
    asked = folded("Schema of the reply", as_json(schema), line.number) if schema is not None else None
    return tag("div", tag("h4", "Sent"), *shown, more, nothing, asked, _request(line, call, completion), cls="part")


def _figures(run: Run, line: CallLine, completion: Completion | None) -> Html:
    return rows(
        [
            ("Tokens", _tokens(line.usage)),
            ("Seconds", seconds(line)),
            ("Side by side with", to_call(line.beside) if line.beside else None),
            ("Finish", (completion.finish_reason if completion else None) or NOT_SAID),
            ("Led to", led_to(run, line)),
        ]
    )


def _tokens(usage: Usage) -> str:
    if usage.prompt_tokens is None and usage.completion_tokens is None:
        return NOT_SAID
    return f"in {tokens_in(usage)} · out {tokens_out(usage)}"


def _request(line: CallLine, call: ModelCall, completion: Completion | None) -> Html:
    """With which model and settings it was sent."""
    return rows(
        [
            ("Model", _model(call.body.get("model"), completion.model if completion else None)),
            ("Settings", _settings(call.body)),
            ("Sent at", line.record.at or None),
        ]
    )


def _model(asked: Any, served: str | None) -> Child:
    """The model asked for, and the one that served; nothing where the record names neither."""
    if asked is None:
        return join("served ", cut(served, 200)) if served else None
    if asked == served:
        return cut(str(asked), 200)
    return join(cut(str(asked), 200), " · served ", cut(served or NOT_SAID, 200))


def tokens_in(usage: Usage) -> str:
    """Prompt tokens, those from the cache apart."""
    if usage.prompt_tokens is None:
        return NOT_SAID
    cached = "cached not reported" if usage.cached_tokens is None else f"{usage.cached_tokens:,} cached"
    return f"{usage.prompt_tokens:,} ({cached})"


def tokens_out(usage: Usage) -> str:
    """Completion tokens, those spent thinking apart."""
    if usage.completion_tokens is None:
        return NOT_SAID
    thought = f" ({usage.reasoning_tokens:,} thinking)" if usage.reasoning_tokens else ""
    return f"{usage.completion_tokens:,}{thought}"


def seconds(line: CallLine) -> str:
    """How long it took, pauses apart."""
    waited = sum(one.waited_s for one in line.record.failed_attempts)
    return f"{line.record.seconds:.2f}" + (f", {waited:.1f} of it waiting to try again" if waited else "")


def _settings(body: Mapping[str, Any]) -> Child:
    """Every other field of the request, by name."""
    found: dict[str, Any] = {}
    for name, value in body.items():
        if name not in _LAID_OUT:
            found |= value if isinstance(value, Mapping) else {str(name): value}
    if not found:
        return None
    return tag("span", cut(" · ".join(f"{name} {_short(value)}" for name, value in found.items()), 600), cls="mono")


def _short(value: Any) -> str:
    return value if isinstance(value, str) else as_json(value).replace("\n", " ")


def led_to(run: Run, line: CallLine) -> Child:
    """The event that came of a call, as a way to it."""
    event = run.event(line.moment) if line.moment else None
    if line.moment is None or event is None:
        return "nothing: the record ends here"
    go = to_moment(line.moment, f"event {line.moment}")
    return join(go, " ", markup(sentence(event, run.at(line.moment))))


def _actions(line: CallLine) -> Html:
    what = "send it again with an edited prompt, and compare the replies"
    again = act("repair", "Re-run …", f"again:{line.number}", what) if line.role != "imported" else None
    return tag("div", again, as_file(line.number), cls="acts")


def as_file(number: int) -> Html:
    """The way to a call as one JSON file."""
    return act("export", "JSON …", f"call_json:{number}", "this call as a file: request, reply, tries")
