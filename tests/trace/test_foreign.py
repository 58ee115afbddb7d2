"""Records of other programs: spans and chat messages open as a chain of steps, odd ones with named damage."""

import gzip
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retree_core.calls import CallFailed, Hit, ModelCall, ModelReply, SearchCall, SearchReply
from retree_core.errors import InputError, UsageError
from retree_core.events import Answered, RunEnded, RunStarted, StepTaken
from retree_core.state import fold
from retree_core.trace.reader import parse_trace

CALL = {"function": {"name": "search", "arguments": '{"q": "Norge"}'}}
CHAT = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Who designed the Norge?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"function": {"name": "search", "arguments": '{"q": "Norge"}'}}],
    },
    {"role": "tool", "name": "search", "content": "Umberto Nobile designed it."},
    {"role": "assistant", "content": [{"type": "text", "text": "Umberto Nobile."}]},
]
NANO = 1_700_000_000_000_000_000


def read(value, name="x.json"):
    return parse_trace(json.dumps(value).encode(), name)


def lines(values):
    return parse_trace(b"\n".join(json.dumps(one).encode() for one in values), "x.jsonl")


def steps(trace):
    return [(one.name, one.text) for one in trace.events if isinstance(one, StepTaken)]


def span(id_, parent="", start=0, **attributes):
    """An OpenInference span as Phoenix writes it."""
    return {
        "name": attributes.pop("name", id_),
        "context": {"trace_id": "t1", "span_id": id_},
        "parent_id": parent or None,
        "start_time": f"2026-01-01T00:00:{start:02}.000000+00:00",
        "end_time": f"2026-01-01T00:00:{start + 1:02}.500000+00:00",
        "status_code": "OK",
        "attributes": attributes.pop("attributes", attributes),
    }


RUN = [
    span(
        "a",
        name="agent",
        attributes={"openinference.span.kind": "AGENT", "input.value": "Who?", "output.value": "Bob."},
    ),
    span(
        "c",
        "a",
        3,
        name="ChatCompletion",
        attributes={
            "openinference.span.kind": "LLM",
            "llm.model_name": "m1",
            "llm.input_messages": [{"message.role": "user", "message.content": "Who? p1 says Bob."}],
            "llm.output_messages.0.message.role": "assistant",
            "llm.output_messages.0.message.content": "Bob.",
            "llm": {"token_count": {"prompt": 12, "completion": 3}, "invocation_parameters": '{"temperature": 0.5}'},
        },
    ),
    span(
        "b",
        "a",
        1,
        name="retrieve",
        attributes={
            "openinference": {"span": {"kind": "RETRIEVER"}},
            "input": {"value": "who"},
            "retrieval": {
                "documents": [
                    {
                        "document": {
                            "id": "p1",
                            "content": "Bob did.",
                            "metadata": '{"title": "On Bob", "url": "https://b"}',
                        }
                    }
                ]
            },
        },
    ),
]


def test_chat_messages_are_a_chain_of_steps_with_the_calls_they_imply():
    trace = read(CHAT)
    assert trace.events == (
        RunStarted(question="Who designed the Norge?", agent="imported"),
        StepTaken(number=1, name="system", text="Be brief."),
        StepTaken(number=2, name="assistant", text='search({"q": "Norge"})'),
        StepTaken(number=3, name="tool search", text="Umberto Nobile designed it."),
        StepTaken(number=4, name="assistant", text="Umberto Nobile."),
        Answered(text="Umberto Nobile.", claims=(), shown=()),
        RunEnded(status="answered", detail="The imported record ends here."),
    )
    assert [one.call for one in trace.calls] == [
        ModelCall(role="imported", body={"messages": CHAT[:2]}),
        ModelCall(role="imported", body={"messages": CHAT[:4]}),
    ]
    assert trace.header.recorded_with == "imported from chat messages"
    assert (trace.header.settings.agent, trace.damage, fold(trace.events).problems) == ("imported", (), ())


def test_chat_comes_in_several_shapes():
    whole = read(CHAT)
    again = [read({"messages": CHAT}), lines(CHAT), lines([{"messages": CHAT}])]
    assert [one.events for one in again] == [whole.events] * 3
    assert parse_trace(gzip.compress(json.dumps(CHAT).encode()), "x.json.gz").records == whole.records
    assert parse_trace(b"\xef\xbb\xbf" + json.dumps(CHAT, indent=1).encode(), "x").records == whole.records


def test_a_tree_of_spans_is_a_chain_in_order_of_time():
    trace = read(RUN)
    assert trace.header.question == "Who?"
    assert steps(trace) == [("retriever · retrieve", "who (1 found)"), ("llm · ChatCompletion", "Bob.")]
    search, call = trace.calls
    assert (search.call, search.reply) == (
        SearchCall(query="who", limit=1),
        SearchReply(hits=(Hit(title="On Bob", text="Bob did.", url="https://b"),)),
    )
    assert call.call == ModelCall(
        role="imported",
        body={"model": "m1", "temperature": 0.5, "messages": [{"role": "user", "content": "Who? p1 says Bob."}]},
    )
    assert call.reply == ModelReply(
        raw={
            "choices": [{"message": {"role": "assistant", "content": "Bob."}}],
            "usage": {"prompt_tokens": 12, "completion_tokens": 3},
        }
    )
    assert (call.seconds, call.at) == (1.5, "2026-01-01T00:00:04.500Z")
    assert (trace.events[-2].text, trace.header.recorded_with) == ("Bob.", "imported from OpenTelemetry spans, m1")
    assert (trace.damage, trace.notices) == ((), ())


def test_spans_come_in_several_shapes():
    whole = read(RUN)
    flat = [
        {
            **{name: value for name, value in one.items() if name not in ("attributes", "context")},
            "context.span_id": one["context"]["span_id"],
            "context.trace_id": "t1",
            **{f"attributes.{name}": value for name, value in one["attributes"].items()},
        }
        for one in RUN
    ]
    again = [
        lines(RUN),
        read({"data": RUN, "next_cursor": None}),
        read({"spans": RUN}),
        read(flat),
        lines(reversed(RUN)),
    ]
    assert [one.events for one in again] == [whole.events] * 5


def otlp(*spans):
    return {"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}


def otlp_span(id_, parent="", start="0", status=None, **attributes):
    return {
        "traceId": "00" * 16,
        "spanId": id_,
        "parentSpanId": parent,
        "name": id_,
        "startTimeUnixNano": str(NANO + int(start)),
        "endTimeUnixNano": str(NANO + int(start) + 2_000_000_000),
        "attributes": [{"key": name, "value": value} for name, value in attributes.items()],
        **({"status": status} if status else {}),
    }


def text(value):
    return {"stringValue": value}


def test_genai_spans_in_otlp():
    said = json.dumps([{"role": "user", "parts": [{"type": "text", "content": "Who?"}]}])
    replied = json.dumps(
        [{"role": "assistant", "parts": [{"type": "tool_call", "name": "look", "arguments": {"q": 1}}]}]
    )
    chat = {
        "gen_ai.operation.name": text("chat"),
        "gen_ai.request.model": text("m2"),
        "gen_ai.input.messages": text(said),
        "gen_ai.output.messages": text(replied),
        "gen_ai.usage.input_tokens": {"intValue": "7"},
        "gen_ai.response.finish_reasons": {"arrayValue": {"values": [text("tool_calls")]}},
    }
    tool = {"gen_ai.operation.name": text("execute_tool"), "gen_ai.tool.call.result": text("found")}
    broken = {"gen_ai.operation.name": text("chat"), "error.type": text("timeout")}
    request = otlp(
        otlp_span("aa", start="1", **chat),
        otlp_span("bb", start="2", **tool),
        otlp_span("cc", start="3", status={"code": 2, "message": "too slow"}, **broken),
    )
    for trace in (read(request), lines([request])):
        assert trace.header.question == "Who?"
        assert steps(trace) == [
            ("llm · aa", 'look({"q": 1})'),
            ("tool · bb", "found"),
            ("llm · cc", "failed: too slow"),
        ]
        first, last = trace.calls
        assert first.reply.raw["choices"][0]["finish_reason"] == "tool_calls"
        assert first.reply.raw["usage"] == {"prompt_tokens": 7}
        assert (first.seconds, first.call.body["model"]) == (2.0, "m2")
        assert last.reply == CallFailed(failure="timeout", message="too slow")


def test_what_is_odd_is_named_and_the_rest_is_read():
    spans = [
        span("a"),
        span("b", "b", 2),
        span("c", "d", 3),
        span("d", "c", 4),
        span("e", "nobody", 5),
        span("e", "a", 6),
        {**span("f", "a"), "start_time": None, "attributes": ["not", "pairs", {"key": 1}], "status_code": 7},
        {"context": {"span_id": "g", "trace_id": "t2"}, "name": {"odd": 1}, "start_time": "99999-01-01"},
        "no span",
        {"name": "without id"},
    ]
    trace = read(spans)
    assert len(steps(trace)) == 7
    assert [(one.line, one.reason) for one in trace.damage] == [
        (9, "a span should be an object, found text"),
        (10, "a span without an id (span_id)"),
    ]
    assert trace.notices == (
        "the file holds 2 traces; they are shown one after another",
        "1 of 8 spans name a parent that is not in the file",
        "1 spans have the id of another one",
        "2 of 8 spans have no start time; they are shown where they stand in the file",
        "3 spans are their own ancestors",
    )


def test_numbers_without_end_and_endless_nesting_are_no_values():
    with pytest.raises(InputError, match="a number out of range"):
        parse_trace(b'[{"span_id":"a","attributes":{"llm.token_count.prompt":1e400}}]', "x.json")
    with pytest.raises(InputError, match="nested too deeply"):
        parse_trace(b'[{"role":"user","content":' + b"[" * 450 + b"]" * 450 + b"}]", "x.json")
    odd = {"openinference.span.kind": "LLM", "llm.invocation_parameters": '{"temperature": 1e400}', "input.value": "q"}
    (call,) = read([{"span_id": "a", "attributes": odd}]).calls
    assert call.call.body == {"messages": [{"role": "user", "content": "q"}]}


def test_damaged_lines_among_messages_are_named():
    trace = parse_trace(b'{"role": "user", "content": "Q"}\n{"role": \n{"role": "assistant", "content": "A"}\n7\n', "x")
    assert steps(trace) == [("assistant", "A")]
    assert [one.line for one in trace.damage] == [2, 4]
    assert trace.damage[1].reason == "not a chat message: expected an object with a role and content"


def test_a_long_record_is_cut_and_says_so(monkeypatch):
    monkeypatch.setattr("retree_core.trace.foreign.MOST_STEPS", 3)
    trace = read([{"role": "user", "content": f"{n}"} for n in range(6)])
    assert (len(steps(trace)), trace.notices) == (3, ("only the first 3 steps are shown, 2 are left out",))


@pytest.mark.parametrize(
    "data",
    [
        b"[]",
        b"[[]]",
        b"{}",
        b'{"messages": []}',
        b'{"messages": [1, {"role": 1, "content": ""}]}',
        b'{"resourceSpans": 7}',
        b'{"resourceSpans": [7, {"scopeSpans": {"spans": []}}]}',
        b'[{"span_id": true}]',
        b'{"title": "a corpus", "text": "is no talk"}',
        b'{"format": "retree-trace", "messages": [{"role": "user", "content": "x"}]}',
    ],
)
def test_what_is_neither_is_refused_in_one_line(data):
    with pytest.raises(InputError) as refused:
        parse_trace(data, "x.json")
    assert "\n" not in str(refused.value)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=8,
)
_KEYS = (
    *("role", "content", "tool_calls", "messages", "spans", "data", "span_id", "spanId", "context", "parent_id"),
    *("status", "status_code", "attributes", "startTimeUnixNano", "start_time", "resourceSpans", "scopeSpans", "key"),
    *("value", "stringValue", "intValue", "arrayValue", "kvlistValue", "values", "llm.input_messages", "input.value"),
    *("openinference.span.kind", "retrieval.documents", "gen_ai.input.messages", "events", "traceId", "kind", "name"),
)
_LEAF = st.none() | st.booleans() | st.integers() | st.text(max_size=6)
_ODD = st.recursive(
    _LEAF | st.sampled_from(["LLM", "RETRIEVER", "user", "[{}]"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_KEYS), inner, max_size=6),
    max_leaves=25,
)


@settings(max_examples=300, deadline=None)
@given(_ODD | _JSON)
def test_no_json_whatever_breaks_the_reader(value):
    try:
        trace = read(value)
    except InputError:
        return
    assert fold(trace.events).problems == ()


def test_an_imported_record_cannot_be_gone_on_from():
    with pytest.raises(UsageError, match=r"^x\.json: imported from chat messages; there is nothing to replay"):
        read(CHAT).require_agent()
