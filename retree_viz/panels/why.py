"""Why: the conflict the moment belongs to, or else what this event rested on."""

from __future__ import annotations

from collections.abc import Iterable

from retree_core import events as ev
from retree_core.judging import GuardResult, Part, Parts
from retree_core.state import State
from retree_viz import dossier
from retree_viz.dossier import Decision, Fact
from retree_viz.html import Child, Html, join, tag
from retree_viz.panels.icons import icon, of_event, tone
from retree_viz.panels.pieces import chip, cut, empty, rows, section, source_block
from retree_viz.run import Run
from retree_viz.words import Ref, count, listed, markup, ref, sentence


def why(run: Run, moment: int, selected: str = "") -> Html:
    """The Why panel at a moment, for the selected evidence where it was in a conflict."""
    decision = dossier.decision_at(run, moment, selected)
    if decision is None:
        return _event(run, moment)
    return join(
        _pair(run, decision),
        _parts(run, decision),
        _reason(run, decision),
        _history(run, decision),
        _reach(run, decision),
    )


def title(run: Run, moment: int, selected: str = "") -> tuple[Html, str, str, str]:
    """Heading, line below it, icon and colour class of the panel."""
    decision = dossier.decision_at(run, moment, selected)
    if decision is None:
        event = run.event(moment)
        if event is None:
            return tag("span", "Nothing has happened yet"), "step forward", "tree", "focus"
        words = event.kind.replace("_", " ").capitalize()
        return tag("span", words), f"event {moment} of {run.total}", of_event(event.kind), tone(event.kind)
    span = (
        f"events {decision.first} to {decision.last}" if decision.last > decision.first else f"event {decision.first}"
    )
    mark = {"repaired": ("repair", "repair"), "rejected": ("conflict", "refuse")}.get(
        decision.outcome, ("conflict", "conflict")
    )
    return markup(dossier.dossier_title(decision)), f"{span} · search {decision.search}", *mark


def _pair(run: Run, decision: Decision) -> Html:
    old, new = dossier.sides(run, decision)
    done = decision.outcome == "repaired"
    number = old.revision.number if old.revision else 1
    old_label = f"{old.id} r{number}, {'refuted' if done else _standing(decision)}"
    new_label = f"{old.id} r{decision.revision}, by {new.id}" if done else f"{new.id}, the new fact"
    return section(
        None,
        tag(
            "div",
            _fact(old, old_label, "cross" if done else "fact", "old" if done else "plain"),
            _fact(new, new_label, "check" if done else "conflict", "new" if done else "plain"),
            cls="pair",
        ),
    )


def _standing(decision: Decision) -> str:
    return {"open": "challenged", "rejected": "kept, contested", "skipped": "kept"}.get(decision.outcome, "challenged")


def _fact(fact: Fact, label: str, mark: str, cls: str) -> Html:
    body = tag("div", cut(fact.revision.text, 2000) if fact.revision else "not in the record", cls="ft")
    head = tag(
        "div",
        icon(mark, "s"),
        tag("button", label, type="button", cls="id plain", data_do=f"select:{fact.id}"),
        cls="fh",
    )
    return tag("div", head, body, *(source_block(one) for one in fact.quoted), cls=f"fact {cls}")


_QUESTIONS = ("entity", "attribute", "scope", "time", "value")


def _parts(run: Run, decision: Decision) -> Html | None:
    if decision.parts is None and not decision.guards:
        if decision.outcome == "open":
            return section(
                "Not decided in this record", tag("p", "No confirmation or rejection follows this proposal.")
            )
        return section("Parts and guards", tag("p", "None were recorded with this decision.", cls="mut"))
    table = _parts_table(decision.parts, decision) if decision.parts else None
    return section(
        "Is it the same statement with another value?",
        table,
        _guards(decision.guards),
        aside=_call(run, decision, "confirm"),
    )


def _parts_table(parts: Parts, decision: Decision) -> Html:
    head = tag("tr", *(tag("th", one, scope="col") for one in ("Part", decision.old, decision.new, "Model said")))
    return tag(
        "table",
        tag("thead", head),
        tag("tbody", *(_part_row(name, getattr(parts, name)) for name in _QUESTIONS)),
        cls="parts",
    )


def _part_row(name: str, part: Part) -> Html:
    expected = part.same != (name == "value")
    verdict = tag(
        "span",
        icon("check" if expected else "cross", "s"),
        "same" if part.same else "differs",
        cls=f"v {'y' if expected else 'n'}",
    )
    if part.old == part.new and part.old:
        return tag("tr", tag("th", name, scope="row"), tag("td", cut(part.old, 300), colspan="2"), tag("td", verdict))
    return tag(
        "tr",
        tag("th", name, scope="row"),
        *(tag("td", _stated(one)) for one in (part.old, part.new)),
        tag("td", verdict),
    )


def _stated(value: str) -> Child:
    return cut(value, 300) if value else tag("span", "not stated", cls="mut")


def _guards(guards: tuple[GuardResult, ...]) -> Html:
    if not guards:
        return tag("p", "No guard looked at this pair.", cls="mut")
    failed = [one for one in guards if not one.passed]
    passed = len(guards) - len(failed)
    said = f"{passed} of {count(len(guards), 'guard')} passed"
    summary = tag(
        "summary", tag("span", icon("cross" if failed else "check", "s"), said, cls=f"v {'n' if failed else 'y'}")
    )
    lines = (
        tag(
            "li",
            icon("check" if one.passed else "cross", "s"),
            tag("span", one.name, cls="mono"),
            tag("span", cut(one.detail, 400)),
            cls="y" if one.passed else "n",
        )
        for one in (*failed, *(one for one in guards if one.passed))
    )
    return tag("details", summary, tag("ul", *lines, cls="guards"), cls="more", open=bool(failed))


def _reason(run: Run, decision: Decision) -> Html:
    how = {"guard": "by a guard", "confirmation": "by the confirmation", "limit": "by a limit", "fork": "by a fork"}
    verdict = {"rejected": "Rejected", "open": "Undecided"}.get(decision.outcome, "Confirmed")
    return join(
        section(
            "Reason given with the proposal",
            tag("blockquote", cut(decision.proposal or "none given", 2000)),
            aside=_call(run, decision, "conflict"),
        ),
        section(
            f"{verdict} {how.get(decision.by, decision.by)}",
            tag("blockquote", cut(decision.reason or "none given", 2000)),
            aside=_call(run, decision, "confirm"),
        )
        if decision.decided
        else None,
    )


def _call(run: Run, decision: Decision, role: str) -> Html | None:
    """A link to the call that a part of the decision rests on; only one made for this decision."""
    moment = decision.decided if role == "confirm" else decision.proposed
    number = run.call_of(moment or 0, role)
    made_at = run.moment_of_call(number) if number else None
    earliest = decision.proposed if role == "confirm" else 0
    if number is None or made_at is None or moment is None or made_at < (earliest or 0) or made_at > moment:
        return None
    return tag(
        "button", f"call {number}", type="button", cls="go", data_do=f"call:{number}", title="prompt and raw reply"
    )


def _history(run: Run, decision: Decision) -> Html:
    lines = (
        tag(
            "li",
            tag(
                "button",
                str(one.moment),
                type="button",
                cls="at",
                data_do=f"go:{one.moment}",
                title=f"go to event {one.moment}",
            ),
            tag("span", icon(of_event(one.mark), "s"), cls=tone(one.mark)),
            tag("span", markup(one.words)),
        )
        for one in dossier.history(run, decision.old)
    )
    used = len(run.last.evidence[decision.old].revisions) - 1 if decision.old in run.last.evidence else 0
    most = run.trace.header.settings.repairs_per_fact
    return section(
        f"History of {decision.old}",
        tag("ol", *lines, cls="hist"),
        _introducer(run, decision),
        aside=f"{used} of {most} repairs used",
    )


def _introducer(run: Run, decision: Decision) -> Html | None:
    fact = run.at(decision.decided or decision.first).evidence.get(decision.old)
    if fact is None or fact.node is None:
        return None
    where = "is where the repair goes" if decision.outcome == "repaired" else "would be where a repair goes"
    return tag(
        "p",
        "Its introducer is ",
        ref(fact.node),
        ": no other node on the path brought it, so this ",
        where,
        ".",
        cls="introducer",
    )


def _reach(run: Run, decision: Decision) -> Html | None:
    if decision.outcome != "repaired":
        return None
    state = run.at(decision.last)
    groups = dossier.facts_of(state, decision.pruned)
    never = dossier.never_shown(run, decision)
    claims = dossier.claims_on(run.last, decision.old)
    facts = sum(len(one) for _, one in groups)
    figures = tag(
        "div",
        _figure(len(decision.pruned), "node pruned", "nodes pruned"),
        _figure(facts, "fact pruned", "facts pruned"),
        _figure(len(claims), "claim rests on it", "claims rest on it", markup(listed(claims)) if claims else None),
        cls="blast",
    )
    fallen = tag(
        "div", *(tag("span", ref(node), *(chip(one) for one in found), cls="g") for node, found in groups), cls="bl"
    )
    return section(
        "Blast radius", figures, fallen if groups else None, _never(never, decision), _aside(state, decision)
    )


def _figure(number: int, one: str, many: str, more: Child = None) -> Html:
    return tag("span", tag("b", str(number), cls="num"), one if number == 1 else many, " " if more else None, more)


def _never(never: tuple[str, ...], decision: Decision) -> Html | None:
    if not never:
        return None
    was = "was" if len(never) == 1 else "were"
    return tag(
        "p",
        markup(listed(never)),
        f" {was} found by searches chosen without {decision.old} among the evidence shown.",
        cls="never",
    )


def _aside(state: State, decision: Decision) -> Html | None:
    facts = [state.evidence[one] for one in decision.set_aside if one in state.evidence]
    if not facts:
        return None
    lines = (tag("li", chip(one), tag("span", cut(one.text, 300))) for one in facts)
    return tag("div", tag("h4", "Set aside: came with the repair"), tag("ul", *lines, cls="facts"))


def _event(run: Run, moment: int) -> Html:
    """What an event outside of any conflict rested on."""
    event = run.event(moment)
    if event is None:
        return empty("Nothing has happened yet.", "Press → or click a tick on the timeline.")
    state = run.at(moment)
    return join(
        section(None, tag("p", markup(sentence(event, state)), cls="lead")),
        _details(run, event, state, moment),
        _context(run, moment),
    )


def _details(run: Run, event: ev.Event, state: State, moment: int) -> Html | None:
    match event:
        case ev.SearchChosen():
            missing = tag("span", ", ".join(event.missing)) if event.missing else None
            return section(
                "The policy's choice",
                rows([("Query", event.query), ("Reason", event.reason or None), ("Missing", missing)]),
            )
        case ev.StopRefused() | ev.StopChosen():
            return section("Reason", tag("blockquote", cut(event.reason or "none given", 2000)))
        case ev.FactsExtracted():
            return section("The new facts", _fact_list(state, (one.id for one in event.facts)))
        case ev.DuplicateFound():
            return section("The two facts", _fact_list(state, (event.of, event.fact)))
        case ev.NodeAdded():
            return section("What it holds", _fact_list(state, event.evidence))
        case ev.SummaryWritten():
            return _summary(run, event, moment)
        case ev.SummaryStale():
            return section("The summary not used", tag("blockquote", cut(event.text, 3000)))
        case ev.PassagesRetrieved():
            found = (tag("li", ref(one.id), tag("span", cut(one.title, 200))) for one in event.passages)
            return section("Passages", tag("ul", *found, cls="facts"))
        case ev.FactRebound() | ev.FactDropped():
            return section("The extracted item", tag("blockquote", cut(event.text, 2000)))
        case ev.NodesPruned():
            return section(
                "What fell", _fact_list(state, (one for node in event.nodes for one in _facts_in(state, node)))
            )
        case ev.FactsSetAside():
            return section("Set aside", _fact_list(state, event.facts))
        case _:
            return None


def _facts_in(state: State, node: str) -> tuple[str, ...]:
    return state.nodes[node].evidence if node in state.nodes else ()


def _fact_list(state: State, ids: Iterable[str]) -> Html:
    lines = (
        tag("li", chip(state.evidence[one]), tag("span", cut(state.evidence[one].text, 400)))
        if one in state.evidence
        else tag("li", markup((Ref(one),)), tag("span", "not in the record", cls="mut"))
        for one in ids
    )
    return tag("ul", *lines, cls="facts")


def _summary(run: Run, event: ev.SummaryWritten, moment: int) -> Html:
    node = run.at(moment - 1).nodes.get(event.node)
    before = node.summary if node else ""
    old = section("Before", tag("blockquote", cut(before, 3000), cls="gone")) if before else None
    words = len(event.text.split())
    return join(section("The summary", tag("blockquote", cut(event.text, 3000)), aside=f"{words} words"), old)


def _context(run: Run, moment: int) -> Html | None:
    """What the policy saw when it last chose."""
    state = run.at(moment)
    if state.context is None:
        return None
    node = state.nodes.get(state.context.node)
    summary = node.summary if node and node.summary else ""
    return section(
        join("What the policy saw at ", ref(state.context.node)),
        tag("p", cut(summary, 3000) if summary else tag("span", "no summary yet", cls="mut"), cls="summary"),
        _fact_list(state, state.context.evidence)
        if state.context.evidence
        else tag("p", "No evidence was shown.", cls="mut"),
        aside=f"{state.context.characters:,} characters",
    )
