"""`retree diff`: where two runs part, and how their trees, answers and costs differ."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from retree_core.cli.show import warn
from retree_core.compare import ClaimPair, ClaimSide, Comparison, FactPair, Metric, NodePair, compare
from retree_core.memory import Evidence
from retree_core.state_json import claim_json
from retree_core.terminal import json_text, printable, short, wrapped
from retree_core.trace import Trace, read_trace
from retree_core.trace.answered import answered_by

SIGNS = {"same": "=", "changed": "~", "only_a": "A", "only_b": "B"}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("a", metavar="A", type=Path, help="a trace")
    parser.add_argument("b", metavar="B", type=Path, help="another one: a fork, the same question, or any other run")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")


def run(args: argparse.Namespace) -> int:
    found = compare(read_trace(args.a), read_trace(args.b))
    for one in (found.a, found.b):
        warn(one)
    print(json_text(_json(found)) if args.json else "\n".join(_lines(found, args)))
    return 0 if found.parting.equal else 1


def _lines(found: Comparison, args: argparse.Namespace) -> Iterator[str]:
    yield from _head(found, args)
    yield ""
    yield from _parting(found)
    yield ""
    yield from _facts(found.trees.facts)
    yield from _nodes(found.trees.nodes)
    yield ""
    yield from _answers(found)
    yield ""
    yield from _table(found.metrics)


def _head(found: Comparison, args: argparse.Namespace) -> Iterator[str]:
    for side, path, trace, agent in zip("AB", (args.a, args.b), (found.a, found.b), found.agents, strict=True):
        yield f"{side}  {printable(path)}  ({printable(agent)}, {_recorded(trace)}, {len(trace.events)} events)"
    if found.one_question:
        yield wrapped(found.a.header.question)
    else:
        yield "two different questions:"
        yield wrapped(found.a.header.question, "  A  ")
        yield wrapped(found.b.header.question, "  B  ")
    if found.relation:
        yield printable(found.relation)
    yield from (f"{name}: {short(ours, 50)} in A, {short(theirs, 50)} in B" for name, ours, theirs in found.settings)


def _recorded(trace: Trace) -> str:
    return f"recorded with {short(answered_by(trace), 100) or 'nothing named'}"


def _parting(found: Comparison) -> Iterator[str]:
    """How far the two runs are the same, and what parts them."""
    one = found.parting
    requests = f"{one.model_calls} model calls and {one.searches} searches are identical, request by request"
    if one.equal:
        yield f"equal in all {one.events} events; {requests}"
    else:
        yield f"in step up to event {one.events}: {requests}"
        yield f"they part at {printable(one.event)}"
    if one.request:
        yield f"first other request: {printable(one.request)}"
    if one.reply:
        yield f"the {one.reply} reply before it differs"


def _facts(facts: tuple[FactPair, ...]) -> Iterator[str]:
    both = sum(one.how == "same" for one in facts)
    yield f"facts: {both} in both, {_counts([one.how for one in facts])}"
    for one in facts:
        if one.how != "same" or one.apart:
            yield from _fact(one)


def _counts(hows: list[str]) -> str:
    changed = hows.count("changed")
    values = f"{changed} with another value, " if changed else ""
    return f"{values}{hows.count('only_a')} only in A, {hows.count('only_b')} only in B"


def _fact(one: FactPair) -> Iterator[str]:
    if one.how == "same" and one.a and one.b:
        standing = f"{_fate(one.a)} in A, {_fate(one.b)} in B"
        yield f"  = {_id(one.a)} {short(one.a.text, 70)}  [{standing}]"
        return
    for side, fact in (("A", one.a), ("B", one.b)):
        if fact:
            sign = f"{side}~" if one.how == "changed" else f"{side} "
            yield f"  {sign}{_id(fact)} {short(fact.text, 80)}  [{_fate(fact)}]"


def _id(one: Evidence) -> str:
    revision = f" r{one.current.number}" if one.current.number > 1 else ""
    return f"{printable(one.id)}{revision}"


def _fate(one: Evidence) -> str:
    return {"active": "in force", "new": "just read"}.get(one.fate, one.fate.replace("_", " "))


def _nodes(nodes: tuple[NodePair, ...]) -> Iterator[str]:
    yield f"nodes: {sum(one.how == 'same' for one in nodes)} in both, {_counts([one.how for one in nodes])}"
    for one in nodes:
        for side, node in (("A", one.a), ("B", one.b)):
            if node and one.how != "same":
                yield f"  {side} {printable(node.id)} {short(node.query, 80)}"


def _answers(found: Comparison) -> Iterator[str]:
    if found.answers.same:
        yield f"the same answer: {short(found.answers.a)}" if found.answers.a is not None else "neither has an answer"
    else:
        yield f"answer A: {short(found.answers.a or 'none')}"
        yield f"answer B: {short(found.answers.b or 'none')}"
    for pair in found.answers.claims:
        yield from _claim(pair)


def _claim(pair: ClaimPair) -> Iterator[str]:
    for side, claim in (("A", pair.a), ("B", pair.b)):
        if claim and not (side == "B" and pair.how == "same" and not claim.faults):
            sign = "=" if pair.how == "same" else f"{side}{'~' if pair.how == 'changed' else ''}"
            yield f"  {sign} c{claim.number} {short(claim.text, 80)} [{_cites(claim)}]"
            yield from (f"      {side}: {printable(one.words('B' if side == 'A' else 'A'))}" for one in claim.faults)


def _cites(claim: ClaimSide) -> str:
    return ", ".join(printable(one.id) for one in claim.cited) or "cites nothing"


def _table(metrics: tuple[Metric, ...]) -> Iterator[str]:
    rows = [("", "A", "B", "A - B"), *(_row(one) for one in metrics)]
    widths = [max(len(row[place]) for row in rows) for place in range(4)]
    for name, a, b, difference in rows:
        line = f"{name:{widths[0]}}  {a:>{widths[1]}}  {b:>{widths[2]}}  {difference:>{widths[3]}}"
        yield line.rstrip()


def _row(one: Metric) -> tuple[str, str, str, str]:
    difference = f"{one.difference:+,}" if one.difference else ""
    return one.name.replace("_", " "), _value(one.a), _value(one.b), difference


def _value(value: int | float | str | None) -> str:
    if value is None:
        return "n/a"
    return short(value, 32) if isinstance(value, str) else f"{value:,}"


def _json(found: Comparison) -> dict[str, Any]:
    return {
        "equal": found.parting.equal,
        "parting": asdict(found.parting),
        "relation": found.relation,
        "one_question": found.one_question,
        "agents": list(found.agents),
        "settings": {name: {"a": ours, "b": theirs} for name, ours, theirs in found.settings},
        "facts": [{"how": one.how, "apart": one.apart, **_both(_fact_json, one.a, one.b)} for one in found.trees.facts],
        "nodes": [{"how": one.how, **_both(_node_json, one.a, one.b)} for one in found.trees.nodes],
        "answers": {"a": found.answers.a, "b": found.answers.b, "same": found.answers.same},
        "claims": [_claim_json(found, one) for one in found.answers.claims],
        "metrics": {one.name: {"a": one.a, "b": one.b, "difference": one.difference} for one in found.metrics},
    }


def _both(write: Any, a: Any, b: Any) -> dict[str, Any]:
    return {"a": write(a) if a else None, "b": write(b) if b else None}


def _fact_json(one: Evidence) -> dict[str, Any]:
    return {"id": one.id, "text": one.text, "revision": one.current.number, "fate": one.fate, "node": one.node}


def _node_json(one: Any) -> dict[str, Any]:
    return {"id": one.id, "query": one.query, "pruned_at": one.pruned_at}


def _claim_json(found: Comparison, pair: ClaimPair) -> dict[str, Any]:
    sides: dict[str, Any] = {"how": pair.how}
    for name, claim, state in (("a", pair.a, found.last[0]), ("b", pair.b, found.last[1])):
        answer = state.answer
        made = (
            {
                **claim_json(state, answer.claims[claim.number - 1]),
                "number": claim.number,
                "faults": [asdict(one) for one in claim.faults],
            }
            if claim and answer
            else None
        )
        sides[name] = made
    return sides
