"""Spans: valid for OpenTelemetry's own types, under official names, and back in through import."""

import json
import re
from base64 import b64encode
from collections import Counter
from dataclasses import replace

import pytest
from export.runs import SAMPLES, hostile, of_trace, sample, trace_of
from google.protobuf import json_format
from openinference.semconv.trace import (
    DocumentAttributes,
    MessageAttributes,
    OpenInferenceSpanKindValues,
    SpanAttributes,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes
from worlds import SETTINGS, repaired_run, replace_records

from retree_core import events as ev
from retree_core.calls import ModelCall, ModelReply
from retree_core.trace import CallRecord
from retree_core.trace.reader import parse_trace
from retree_viz.export import export

_IDS = ("traceId", "spanId", "parentSpanId")


def spans_of(what):
    """The spans as the SDK's exporter would send them; OTLP/JSON has hex ids where protobuf's JSON has base64."""

    def as_protobuf(value):
        if isinstance(value, dict):
            return {key: _bytes(one) if key in _IDS else as_protobuf(one) for key, one in value.items()}
        return [as_protobuf(one) for one in value] if isinstance(value, list) else value

    request = json_format.ParseDict(as_protobuf(json.loads(export(what, "otel"))), ExportTraceServiceRequest())
    ((resource,),) = [request.resource_spans]
    return list(resource.scope_spans[0].spans)


def _bytes(hexadecimal):
    return b64encode(bytes.fromhex(hexadecimal)).decode()


def attributes(span):
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in span.attributes}


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_one_span_for_the_run_each_search_step_and_each_call(path):
    what = sample(path)
    spans = spans_of(what)
    kinds = Counter(attributes(one)["openinference.span.kind"] for one in spans)
    calls = what.run.trace.calls
    models = sum(isinstance(one.call, ModelCall) for one in calls)
    assert kinds == Counter(AGENT=1, CHAIN=len(what.run.last.searches), LLM=models, RETRIEVER=len(calls) - models)
    ids = {one.span_id for one in spans}
    assert len(ids) == len(spans)
    assert {(len(one.trace_id), len(one.span_id)) for one in spans} == {(16, 8)}
    assert [one for one in spans if one.parent_span_id and one.parent_span_id not in ids] == []
    assert [one.name for one in spans if not one.parent_span_id] == ["invoke_agent ReTree"]
    assert sum(len(one.events) for one in spans) == what.run.total
    assert all(one.start_time_unix_nano <= one.end_time_unix_nano for one in spans)
    root = spans[0]
    assert all(root.start_time_unix_nano <= one.start_time_unix_nano for one in spans)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_it_comes_back_in_with_the_same_calls_question_and_answer(path):
    what = sample(path)
    run, again = what.run, parse_trace(export(what, "otel"), "run.otlp.json")
    assert [_kind(one) for one in again.calls] == [_kind(one) for one in run.trace.calls]
    assert [_texts(one) for one in again.calls] == [_texts(one) for one in run.trace.calls]
    assert (again.header.question, again.damage, again.notices) == (run.trace.header.question, (), ())
    assert next(one.text for one in again.events if one.kind == "answered") == run.last.answer.text


def _kind(record):
    return getattr(record.call, "role", "search")


def _texts(record):
    if isinstance(record.call, ModelCall):
        return [one["content"] for one in record.call.body["messages"]]
    return [record.call.query, *(hit.text for hit in record.reply.hits)]


def test_names_are_those_of_the_conventions():
    """Every attribute name of both conventions that is written exists in their own packages."""
    official = {getattr(gen_ai_attributes, one) for one in dir(gen_ai_attributes) if one.startswith("GEN_AI_")}
    names = {value for one in (SpanAttributes, DocumentAttributes, MessageAttributes) for value in vars(one).values()}
    spans = [attributes(one) for one in spans_of(sample(SAMPLES[-1]))]
    written = {key for one in spans for key in one}
    assert {one for one in written if one.startswith("gen_ai.")} <= official
    ours = {one for one in written if not one.startswith(("gen_ai.", "retree."))}
    parts = {part for one in ours for part in re.split(r"\.\d+\.", one)}
    assert parts <= names
    kinds = {one["openinference.span.kind"] for one in spans}
    assert kinds <= {one.value for one in OpenInferenceSpanKindValues}
    operations = {one["gen_ai.operation.name"] for one in spans if "gen_ai.operation.name" in one}
    assert operations <= {one.value for one in gen_ai_attributes.GenAiOperationNameValues}


def test_a_call_has_messages_reply_model_and_tokens_under_both_names():
    what = sample(next(one for one in SAMPLES if one.stem == "real-laika"))
    call = what.run.trace.calls[0]
    span = next(attributes(one) for one in spans_of(what) if attributes(one).get("retree.call") == 1)
    usage = call.reply.raw["usage"]
    content = call.reply.raw["choices"][0]["message"]["content"]
    assert span["gen_ai.request.model"] == span["llm.model_name"] == call.call.body["model"]
    assert span["gen_ai.usage.input_tokens"] == span["llm.token_count.prompt"] == usage["prompt_tokens"]
    assert span["gen_ai.usage.output_tokens"] == span["llm.token_count.completion"] == usage["completion_tokens"]
    assert span["llm.input_messages.1.message.content"] == call.call.body["messages"][1]["content"]
    assert (
        json.loads(span["gen_ai.input.messages"])[1]["parts"][0]["content"] == call.call.body["messages"][1]["content"]
    )
    assert span["output.value"] == span["llm.output_messages.0.message.content"] == content
    assert json.loads(span["llm.invocation_parameters"])["temperature"] == span["gen_ai.request.temperature"]


def test_ids_and_bytes_are_the_same_every_time_and_other_for_another_run():
    first, second = sample(SAMPLES[0]), sample(SAMPLES[1])
    assert export(first, "otel") == export(first, "otel")
    assert spans_of(first)[0].trace_id != spans_of(second)[0].trace_id


def test_calls_made_side_by_side_overlap():
    run = repaired_run(settings=replace(SETTINGS, summary_call="beside"))
    place = next(at for at, one in enumerate(run.records) if getattr(one, "beside", None) is not None)
    first, second = run.records[place - 1 : place + 1]
    late = replace(first, at="2025-06-01T10:00:09.000Z", seconds=4.0)
    early = replace(second, at="2025-06-01T10:00:07.000Z", seconds=2.0)
    timed = replace_records(run, [*run.records[: place - 1], late, early, *run.records[place + 1 :]])
    spans = {attributes(one).get("retree.call"): one for one in spans_of(of_trace(timed))}
    number = run.calls.index(first) + 1
    one, other = spans[number], spans[number + 1]
    assert one.start_time_unix_nano == other.start_time_unix_nano
    assert one.end_time_unix_nano - other.end_time_unix_nano == 2 * 10**9


def test_up_to_a_moment_only_what_led_to_it():
    path = next(one for one in SAMPLES if "north-pole" in one.stem)
    early = sample(path, 8)
    assert len(spans_of(early)) == 2 + early.run.trace.calls_before[7]
    assert attributes(spans_of(early)[0])["retree.moment"] == 8
    assert [one.name for one in spans_of(sample(path, 0))] == ["invoke_agent ReTree"]


def test_odd_and_hostile_records_are_still_valid_spans():
    what = of_trace(hostile())
    spans = spans_of(what)
    failed = [one for one in spans if one.status.code == 2]
    assert [attributes(one)["error.type"] for one in failed] == ["timeout"]
    assert len(parse_trace(export(what, "otel"), "x").calls) == 4


def test_numbers_that_otlp_cannot_hold_are_cut_or_texts():
    body = {"messages": [], "max_tokens": 10**29, "seed": 1e300}
    call = CallRecord(seq=0, call=ModelCall(role="policy", body=body), reply=ModelReply(raw={}), seconds=1e300)
    what = of_trace(trace_of([ev.RunStarted(question="Q", agent="retree")], [call], created_at="9999-12-31T00:00:00Z"))
    (_, span) = spans_of(what)
    assert attributes(span)["gen_ai.request.max_tokens"] == "1" + 29 * "0"
    assert span.start_time_unix_nano == span.end_time_unix_nano == 0
