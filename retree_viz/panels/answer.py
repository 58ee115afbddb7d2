"""The answer with its claims, each resolved to the evidence in force and its passages."""

from __future__ import annotations

from dataclasses import dataclass

from retree_core.memory import Claim
from retree_core.state import Citation, State, citations
from retree_core.text import count
from retree_viz.html import Child, Html, join, joined, tag
from retree_viz.panels.claim import fault_of, path_of
from retree_viz.panels.icons import icon
from retree_viz.panels.pieces import cut, flag
from retree_viz.run import Run
from retree_viz.words import ref


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimLine:
    """One claim of the answer as the panel shows it."""

    id: str
    claim: Claim
    cited: tuple[Citation, ...]
    faults: tuple[str, ...]
    """What is wrong with its citations, in words; empty where all is well."""
    note: str
    path: tuple[str, ...]
    """Claim, evidence, passages, nodes up to the root."""


def claim_lines(run: Run, moment: int) -> tuple[ClaimLine, ...]:
    """The claims of the run's answer, resolved at its end; notes are seen from `moment`."""
    state = run.last
    claims = state.answer.claims if state.answer else ()
    return tuple(_line(run, state, moment, number, claim) for number, claim in enumerate(claims, 1))


def _line(run: Run, state: State, moment: int, number: int, claim: Claim) -> ClaimLine:
    cited = citations(state, claim)
    return ClaimLine(
        id=f"c{number}",
        claim=claim,
        cited=cited,
        faults=_faults(state, cited),
        note=_note(run, moment, cited),
        path=_path(state, f"c{number}", cited),
    )


def _faults(state: State, cited: tuple[Citation, ...]) -> tuple[str, ...]:
    if not cited:
        return ("cites nothing",)
    return tuple(filter(None, (fault_of(state, one.id, one.standing) for one in cited)))


def _path(state: State, claim: str, cited: tuple[Citation, ...]) -> tuple[str, ...]:
    """The way from the claim by its first citation that leads somewhere."""
    return path_of(state, claim, next((one for one in cited if one.sources), Citation(id="", standing="missing")))


def _note(run: Run, moment: int, cited: tuple[Citation, ...]) -> str:
    later = [run.born.get(one.evidence or one.id, 0) for one in cited]
    if any(at > moment for at in later):
        return f"evidence arrives at event {max(later)}"
    sources = sum(len(one.sources) for one in cited)
    changed = ", changed by a repair" if any(one.standing == "repaired" for one in cited) else ""
    return f"{count(sources, 'source')}{changed}"


def answer(run: Run, moment: int, selected: str = "") -> Html:
    """The answer panel."""
    given = run.last.answer
    if given is None:
        return tag(
            "div",
            tag(
                "div", icon("flag"), tag("span", "Answer", cls="sub"), tag("span", _missing(run), cls="mut"), cls="top"
            ),
            cls="ans none",
        )
    lines = claim_lines(run, moment)
    top = tag(
        "div",
        icon("flag"),
        tag("span", "Answer", cls="sub"),
        tag("strong", cut(given.text, 600)),
        tag("span", _when(run, moment), cls="mut"),
        tag("span", cls="sp"),
        _verdict(lines),
        cls="top",
    )
    return tag("div", top, tag("div", *(_claim(one, selected) for one in lines), cls="claims"), cls="ans")


def _missing(run: Run) -> str:
    if run.last.ended is None:
        return "not yet: the run has not ended in this record"
    return f"none: the run ended with {run.last.ended.status.replace('_', ' ')}"


def _when(run: Run, moment: int) -> str:
    at = next((number for number, one in enumerate(run.events, 1) if one is run.last.answer), run.total)
    ahead = at - moment
    return f"event {at}, {ahead} ahead of this moment" if ahead > 0 else f"event {at}"


def _verdict(lines: tuple[ClaimLine, ...]) -> Html:
    faulty = sum(bool(one.faults) for one in lines)
    if not lines:
        return flag("warning", "no claims")
    if faulty:
        return tag(
            "span",
            icon("warning", "s"),
            f"{faulty} of {count(len(lines), 'claim')} with a citation fault",
            cls="tag bad",
        )
    return tag(
        "span", icon("check", "s"), f"{len(lines)} of {count(len(lines), 'claim')} cited, none stale", cls="tag ok"
    )


def _claim(line: ClaimLine, selected: str) -> Html:
    on = selected == line.id
    chips = joined(" ", (_citation(one) for one in line.cited))
    status: Child = joined(" ", (flag("warning", one, "conflict") for one in line.faults)) if line.faults else line.note
    trail = joined(" › ", (ref(one, _labelled(one, line)) for one in line.path))
    return tag(
        "div",
        tag(
            "button",
            line.id,
            type="button",
            cls="k",
            data_do=f"select:{line.id}",
            aria_pressed="true" if on else "false",
            title="light the path of this claim",
        ),
        tag("span", cut(line.claim.text, 600), " ", chips, cls="said"),
        tag("span", trail, cls="path") if on and not line.faults else tag("span", status, cls="st"),
        cls="cl on" if on else "cl",
        data_do=f"select:{line.id}",
        data_light=line.id,
    )


def _labelled(id_: str, line: ClaimLine) -> str:
    """The id with its revision, where the evidence was repaired."""
    repaired = {one.evidence: one.revision for one in line.cited if one.revision > 1}
    return f"{id_} r{repaired[id_]}" if id_ in repaired else id_


def _citation(one: Citation) -> Html:
    if one.standing == "missing":
        return tag("span", f"[{one.id}?]", cls="cite missing", title="no such evidence")
    revision = f" r{one.revision}" if one.revision > 1 else ""
    via = f"{one.id} → {one.evidence}" if one.evidence and one.evidence != one.id else one.id
    return join(ref(one.evidence or one.id, f"[{via}{revision}]", f"cite {one.standing}"))
