"""Why: the conflict the moment belongs to, or else what this event rested on."""

from __future__ import annotations

from retree_core.judging import GuardResult, Part, Parts
from retree_core.why import CallMade, Conflict, Cost, Fact, PrunedFact, Repair
from retree_viz import dossier
from retree_viz.html import Child, Html, join, spans, tag
from retree_viz.panels.basis import basis
from retree_viz.panels.icons import icon, of_event, tone
from retree_viz.panels.pieces import chip, cut, history_list, section, source_block
from retree_viz.run import Run
from retree_viz.words import count, listed, markup, ref


def why(run: Run, moment: int, selected: str = "") -> Html:
    """The Why panel at a moment, for the selected evidence where it was in a conflict."""
    conflict = dossier.conflict_at(run, moment, selected)
    if conflict is None:
        return basis(run, moment)
    return join(
        _pair(conflict),
        _parts(run, conflict),
        _proposal(run, conflict),
        _verdict(run, conflict),
        _history(run, conflict, moment),
        _reach(run, conflict.repair) if conflict.repair else None,
    )


def title(run: Run, moment: int, selected: str = "") -> tuple[Html, str, str, str]:
    """Heading, line below it, icon and colour class of the panel."""
    conflict = dossier.conflict_at(run, moment, selected)
    if conflict is None:
        event = run.event(moment)
        if event is None:
            return tag("span", "Nothing has happened yet"), "step forward", "tree", "focus"
        words = event.kind.replace("_", " ").capitalize()
        return tag("span", words), f"event {moment} of {run.total}", of_event(event.kind), tone(event.kind)
    first, last = dossier.span(run, conflict)
    calls = len(conflict.proposal_calls) + len(conflict.confirmation_calls)
    where = f"events {first} to {last}" if last > first else f"event {first}"
    made = f" · {count(calls, 'model call')}" if calls else ""
    marks = {"repaired": ("repair", "repair"), "rejected": ("conflict", "refuse")}
    mark, colour = marks.get(conflict.outcome, ("conflict", "conflict"))
    return markup(dossier.dossier_title(conflict)), f"{where} · search {conflict.search}{made}", mark, colour


def _pair(conflict: Conflict) -> Html:
    old, new, repair = conflict.old, conflict.new, conflict.repair
    gone, came = dossier.changed(old.text[:2000], new.text[:2000])
    if not repair and gone[1] - gone[0] > 0.7 * len(old.text):  # two quite different sentences: nothing to point at
        gone = came = (0, 0)
    if repair:
        left = _fact(old, f"{old.id} r{old.revision}, refuted", "cross", "old", gone)
        right = _fact(new, f"{old.id} r{repair.revision}, was {new.id}", "check", "new", came)
    else:
        standing = {"rejected": "kept, contested", "skipped": "kept"}.get(conflict.outcome, "challenged")
        left = _fact(old, f"{old.id} r{old.revision}, {standing}", "fact", "plain", gone)
        right = _fact(new, f"{new.id}, the new fact", "conflict", "plain", came)
    return section(None, tag("div", left, right, cls="pair"))


def _fact(fact: Fact, label: str, mark: str, cls: str, differs: tuple[int, int]) -> Html:
    name = {"old": "del", "new": "ins"}.get(cls, "b")
    words = spans(fact.text[:2000], [differs], name) if fact.text else "not in the record"
    head = tag(
        "div",
        icon(mark, "s"),
        tag("button", label, type="button", cls="id plain", data_do=f"select:{fact.id}"),
        cls="fh",
    )
    return tag(
        "div", head, tag("div", words, cls="ft"), *(source_block(one) for one in fact.sources), cls=f"fact {cls}"
    )


_PARTS = ("entity", "attribute", "scope", "time", "value")


def _parts(run: Run, conflict: Conflict) -> Html:
    if conflict.outcome == "open":
        return section("Not decided in this record", tag("p", "No confirmation or rejection follows this proposal."))
    if conflict.parts is None and not conflict.guards:
        return section("Parts and guards", tag("p", "None were recorded with this decision.", cls="mut"))
    table = _parts_table(conflict.parts, conflict) if conflict.parts else None
    asked = _calls(run, conflict.confirmation_calls)
    return section("Is it the same statement with another value?", table, _guards(conflict.guards), aside=asked)


def _parts_table(parts: Parts, conflict: Conflict) -> Html:
    names = ("Part", f"{conflict.old.id} r{conflict.old.revision}", conflict.new.id, "Model said")
    head = tag("tr", *(tag("th", one, scope="col") for one in names))
    rows = (_part_row(name, getattr(parts, name)) for name in _PARTS)
    return tag("table", tag("thead", head), tag("tbody", *rows), cls="parts")


def _part_row(name: str, part: Part) -> Html:
    fits = part.same != (name == "value")
    said = "same" if part.same else "differs"
    verdict = tag("td", tag("span", icon("check" if fits else "cross", "s"), said, cls="v y" if fits else "v n"))
    if part.old == part.new and part.old:
        return tag("tr", tag("th", name, scope="row"), tag("td", cut(part.old, 300), colspan="2"), verdict)
    return tag("tr", tag("th", name, scope="row"), *(tag("td", _stated(one)) for one in (part.old, part.new)), verdict)


def _stated(value: str) -> Child:
    return cut(value, 300) if value else tag("span", "not stated", cls="mut")


def _guards(guards: tuple[GuardResult, ...]) -> Html:
    if not guards:
        return tag("p", "No guard looked at this pair.", cls="mut")
    failed = [one for one in guards if not one.passed]
    said = f"{len(guards) - len(failed)} of {count(len(guards), 'guard')} passed"
    summary = tag(
        "summary", tag("span", icon("cross" if failed else "check", "s"), said, cls="v n" if failed else "v y")
    )
    lines = (
        tag(
            "li",
            icon("check" if one.passed else "cross", "s"),
            tag("span", one.name, cls="mono"),
            tag("span", cut(one.detail, 400)),
            cls="y" if one.passed else "n",
        )
        for one in sorted(guards, key=lambda one: one.passed)
    )
    return tag("details", summary, tag("ul", *lines, cls="guards"), cls="more", open=bool(failed))


def _proposal(run: Run, conflict: Conflict) -> Html | None:
    if not conflict.proposed:
        return section("Proposal", tag("p", "This record holds no proposal of the pair.", cls="mut"))
    said = tag("blockquote", cut(conflict.proposal or "none given", 2000))
    return section("Reason given with the proposal", said, aside=_calls(run, conflict.proposal_calls))


def _verdict(run: Run, conflict: Conflict) -> Html | None:
    if not conflict.decided:
        return None
    verdict = "Rejected" if conflict.outcome == "rejected" else "Confirmed"
    by = conflict.by.replace("guard:", "guard ")
    reason = conflict.reason.removeprefix(f"{by.removeprefix('guard ')}: ")
    said = tag("blockquote", cut(reason or "none given", 2000))
    how = tag("span", f"{verdict} by {'' if by.startswith('guard ') else 'the '}{by}")
    return section(how, said, aside=_calls(run, conflict.confirmation_calls))


def _calls(run: Run, calls: tuple[CallMade, ...]) -> Html | None:
    """Links to the calls that a part of the decision rests on."""
    numbers = [number for one in calls if (number := run.number_of_call(one.seq))]
    links = [
        tag("button", f"call {one}", type="button", cls="go", data_do=f"call:{one}", title="prompt and raw reply")
        for one in numbers
    ]
    return join(*(join(" " if place else None, one) for place, one in enumerate(links))) if links else None


def _history(run: Run, conflict: Conflict, moment: int) -> Html:
    id_ = conflict.old.id
    one = run.last.evidence.get(id_)
    used = len(one.revisions) - 1 if one else 0
    most = run.trace.header.settings.repairs_per_fact
    lines = history_list(run.changes(id_), moment)
    return section(f"History of {id_}", lines, _introducer(run, conflict), aside=f"{used} of {most} repairs used")


def _introducer(run: Run, conflict: Conflict) -> Html | None:
    if conflict.repair:
        found = conflict.repair.introducer
        return tag("p", "The repair goes to ", ref(found.node), f": {found.reason}.", cls="introducer")
    fact = run.last.evidence.get(conflict.old.id)
    if fact is None or fact.node is None:
        return None
    return tag("p", "Its introducer is ", ref(fact.node), ": a repair would have gone there.", cls="introducer")


def _reach(run: Run, repair: Repair) -> Html:
    claims = tuple(f"c{number}" for number in repair.claims)
    figures = tag(
        "div",
        _figure(len(repair.pruned), "node pruned", "nodes pruned"),
        _figure(len(repair.lost), "fact pruned", "facts pruned"),
        _figure(len(claims), "claim rests on it", "claims rest on it", markup(listed(claims)) if claims else None),
        cls="blast",
    )
    groups = (tag("span", ref(node), *_lost(run, repair, node), cls="g") for node in repair.pruned)
    fallen = tag("div", *groups, cls="bl") if repair.pruned else None
    return section(
        "Blast radius",
        figures,
        fallen,
        _untouched(repair.lost, repair),
        _aside(run, repair),
        aside=_spent(repair.spent_below),
    )


def _lost(run: Run, repair: Repair, node: str) -> list[Html]:
    facts = ((one, run.last.evidence.get(one.fact.id)) for one in repair.lost if one.node == node)
    return [chip(fact, "never" if one.untouched else "") for one, fact in facts if fact]


def _figure(number: int, one: str, many: str, more: Child = None) -> Html:
    return tag("span", tag("b", str(number), cls="num"), one if number == 1 else many, " " if more else None, more)


def _spent(cost: Cost) -> Child:
    tokens = cost.prompt_tokens + cost.completion_tokens
    if not tokens:
        return None
    return f"{'at least ' if cost.uncounted else ''}{tokens:,} tokens spent below"


def _untouched(lost: tuple[PrunedFact, ...], repair: Repair) -> Html | None:
    """The price of conservative pruning."""
    ids = tuple(one.fact.id for one in lost if one.untouched)
    if not ids:
        return None
    return tag(
        "p", markup(listed(ids)), f" never had {repair.evidence} in the context that led to them.", cls="never-note"
    )


def _aside(run: Run, repair: Repair) -> Html | None:
    if not repair.set_aside:
        return None
    lines = (
        tag("li", chip(run.last.evidence[one.id]), tag("span", cut(one.text, 300)))
        for one in repair.set_aside
        if one.id in run.last.evidence
    )
    return tag("div", tag("h4", "Set aside: came with the repair"), tag("ul", *lines, cls="facts"))
