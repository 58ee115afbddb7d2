"""Records of other programs that are full of payloads: each is a step of words, in the page and in its export."""

from __future__ import annotations

import json

from export.runs import of_trace
from injection.hostile import PAYLOADS, as_shown, is_hidden, trace
from injection.test_exports import Page

from retree_core.secrets import redact
from retree_core.trace import Trace
from retree_core.trace.reader import parse_trace
from retree_viz.export import export

TEXTS = [text for text in PAYLOADS.values() if text.strip()]


def talk() -> Trace:
    """A list of chat messages; every text, role, name and argument is a payload."""
    messages = [
        one
        for text in TEXTS
        for one in (
            {"role": "user", "name": text, "content": text},
            {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": text, "arguments": text}}]},
            {"role": "tool", "name": text, "content": text},
            {"role": text, "content": [{"type": "text", "text": text}]},
        )
    ]
    return parse_trace(json.dumps(messages).encode(), "talk.json")


def spans() -> Trace:
    """OpenTelemetry spans, as another run was exported to them."""
    return parse_trace(export(of_trace(trace()), "otel"), "spans.json")


def test_their_texts_are_words_and_nothing_else() -> None:
    for imported in (talk(), spans()):
        page = Page(export(of_trace(imported), "html"))
        names = [name for name, _ in page.elements]
        assert names.count("script") == 2
        assert {"img", "iframe", "object", "embed", "base", "link", "form", "input", "svg"} & {*names} == set()
        assert [key for _, has in page.elements for key in has if key.startswith("on") or key in ("style", "src")] == []
        assert [one for one in "".join(page.texts) if is_hidden(one)] == []


def test_every_message_of_a_talk_is_read() -> None:
    words = " ".join("".join(Page(export(of_trace(talk()), "html")).texts).split())
    assert [text for text in TEXTS if " ".join(as_shown(redact(text)).split())[:150] not in words] == []
