"""Results folders in the gallery: one card each, made without reading a single run."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retree_core.errors import InputError, fault
from retree_core.evaluation import manifest
from retree_core.evaluation.results import NAME
from retree_core.llm import strict_json
from retree_core.settings import AGENTS
from retree_core.text import count
from retree_viz.html import Html, tag, visible
from retree_viz.panels.bar import agent_name, answered_by
from retree_viz.panels.icons import icon
from retree_viz.panels.pieces import cut
from retree_viz.results.folders import Folder, traces
from retree_viz.within import inside


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """An agent's runs as `retree eval` or `retree report` last wrote them down."""

    agent: str
    ended: int
    failed: int
    matched: int
    """Right by exact match."""
    judged: int
    """Graded by the answer judge."""
    correct: int
    """Right by the answer judge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderCard:
    """What the gallery says about a results folder."""

    address: str
    name: str
    data_sets: tuple[str, ...] = ()
    """Where there are several."""
    questions: int = 0
    begun: int = 0
    agents: tuple[str, ...] = ()
    """Those that have begun."""
    scores: tuple[Kept, ...] = ()
    """Of agents with runs that had ended when the results were last written down."""
    recorded_with: str = ""
    trouble: str = ""


def card(folder: Folder) -> FolderCard:
    """The card of a folder; of a damaged one it says why."""
    parts = folder.parts
    try:
        known = [manifest.read(path) for _, path in parts]
    except InputError as error:
        return FolderCard(address=folder.address, name=folder.name, trouble=str(error).replace(f"{folder.path}/", ""))
    except Exception as error:  # noqa: BLE001  (no folder of any content may stop the gallery)
        return FolderCard(address=folder.address, name=folder.name, trouble=f"cannot be read, {fault(error)}")
    return FolderCard(
        address=folder.address,
        name=folder.name,
        data_sets=tuple(path.name for _, path in parts) if len(parts) > 1 else (),
        questions=sum(map(_questions, known)),
        begun=traces(folder),
        agents=tuple(one for one in AGENTS if any((path / "runs" / one).is_dir() for _, path in parts)),
        scores=tuple(_kept([one for _, path in parts for one in _rows(path)])),
        recorded_with=visible(", ".join(dict.fromkeys(filter(None, map(_answering, known))))),
    )


def _answering(known: Mapping[str, Any]) -> str:
    """What a folder says of who answers its runs: in words, or else by the model that was asked for."""
    settings = known.get("settings")
    model = settings.get("model", "") if isinstance(settings, Mapping) else ""
    return str(known.get("recorded_with") or model)


def _questions(known: Mapping[str, Any]) -> int:
    found = known.get("questions")
    return len(found) if isinstance(found, list) else 0


def _rows(path: Path) -> Iterator[Mapping[str, Any]]:
    """What the folder says of its runs that ended; nothing that is not as it should be."""
    file = inside(path, NAME)
    try:
        lines = file.read_bytes().splitlines() if file else []
    except OSError:
        return
    for line in lines:
        with contextlib.suppress(ValueError):
            row = strict_json.loads(line)
            if isinstance(row, dict):
                yield row


def _kept(rows: Sequence[Mapping[str, Any]]) -> Iterator[Kept]:
    for agent in AGENTS:
        own = [one for one in rows if one.get("agent") == agent]
        if own:
            grades = [one.get("judged") for one in own]
            yield Kept(
                agent=agent,
                ended=len(own),
                failed=sum(one.get("error") is True for one in own),
                matched=sum(one.get("exact_match") is True for one in own),
                judged=grades.count("correct") + grades.count("incorrect"),
                correct=grades.count("correct"),
            )


def results_shelf(cards: Sequence[FolderCard], where: str) -> Html:
    """The results folders of a shelf."""
    head = tag(
        "h2",
        "Results",
        tag("span", count(len(cards), "results folder"), cls="mut"),
        tag("span", icon("folder", "s"), where, cls="where"),
    )
    return tag("section", head, tag("div", *map(_card, cards), cls="cards"), cls="shelf")


def _card(one: FolderCard) -> Html:
    """A folder as a card that opens its page."""
    return tag(
        "button",
        tag("span", cut(one.name, 200), cls="question"),
        *(
            [tag("span", icon("warning", "s"), " ", visible(one.trouble)[:300], cls="refuse")]
            if one.trouble
            else _said(one)
        ),
        tag("span", tag("span", one.address if "/" in one.address else one.name, cls="mono"), cls="file"),
        type="button",
        cls="card",
        data_do=f"results:{one.address}",
    )


def _said(one: FolderCard) -> Iterator[Html]:
    """Data sets, agents, how many runs there are, and what answered them."""
    if one.data_sets:
        yield tag("span", tag("span", "Data sets ", cls="mut"), cut(", ".join(one.data_sets), 200), cls="answer")
    yield _agents(one)
    made = tag("span", tag("span", answered_by(one.recorded_with)), cls="tag", title=visible(one.recorded_with)[:300])
    yield tag(
        "span",
        tag("span", icon("chart", "s"), "results", cls="tag live"),
        made if one.recorded_with else None,
        cls="tags",
    )
    questions = tag("span", icon("page", "s"), count(one.questions, "question"))
    failed = sum(each.failed for each in one.scores)
    errors = tag("span", icon("warning", "s"), f"{failed:,} failed", cls="refuse") if failed else None
    yield tag("span", questions, _runs(one), errors, cls="figures")


def _agents(one: FolderCard) -> Html:
    """The agents, with their share of right answers where any is known: by the answer judge where it graded all runs,
    else by exact match."""
    if not one.scores:
        names = ", ".join(map(agent_name, one.agents)) or "none has begun"
        return tag("span", tag("span", "Agents ", cls="mut"), names, cls="answer")
    by_judge = all(each.judged == each.ended for each in one.scores)
    right = ((each, each.correct if by_judge else each.matched) for each in one.scores)
    told = ", ".join(f"{agent_name(each.agent)} {100 * number / each.ended:.1f}" for each, number in right)
    label = "Right by the answer judge, % " if by_judge else "Exact match, % "
    return tag("span", tag("span", label, cls="mut"), told, cls="answer scores")


def _runs(one: FolderCard) -> Html:
    """How many of the runs have ended, as far as that is written down."""
    total, ended = count(one.questions * len(one.agents), "run"), sum(each.ended for each in one.scores)
    if not ended:
        return tag("span", icon("live", "s"), f"{one.begun:,} of {total} begun" if one.begun else "no run begun")
    more = f", {one.begun - ended:,} more begun" if one.begun > ended else ""
    return tag("span", icon("live" if more else "check", "s"), f"{ended:,} of {total} ended{more}")
