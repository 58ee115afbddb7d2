"""Results folders in the gallery: one card each, made without reading a single run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from retree_core.errors import InputError, fault
from retree_core.evaluation import manifest
from retree_core.evaluation.results import AGENTS
from retree_core.text import count
from retree_viz.html import Html, tag, visible
from retree_viz.panels.bar import agent_name, answered_by
from retree_viz.panels.icons import icon
from retree_viz.panels.pieces import cut
from retree_viz.results.folders import Folder, traces


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
        recorded_with=visible(", ".join(dict.fromkeys(str(one.get("recorded_with", "")) for one in known))),
    )


def _questions(known: Mapping[str, Any]) -> int:
    found = known.get("questions")
    return len(found) if isinstance(found, list) else 0


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
        *([tag("span", icon("warning", "s"), " ", one.trouble[:300], cls="refuse")] if one.trouble else _said(one)),
        tag("span", tag("span", one.address, cls="mono"), cls="file"),
        type="button",
        cls="card",
        data_do=f"results:{one.address}",
    )


def _said(one: FolderCard) -> Iterator[Html]:
    """Data sets, agents, how many runs there are, and what answered them."""
    if one.data_sets:
        yield tag("span", tag("span", "Data sets ", cls="mut"), cut(", ".join(one.data_sets), 200), cls="answer")
    agents = ", ".join(map(agent_name, one.agents)) or "none has begun"
    yield tag("span", tag("span", "Agents ", cls="mut"), agents, cls="answer")
    made = tag("span", tag("span", answered_by(one.recorded_with)), cls="tag", title=one.recorded_with[:300])
    yield tag("span", tag("span", icon("chart", "s"), "results", cls="tag live"), made, cls="tags")
    begun = f"{one.begun:,} of {count(one.questions * len(one.agents), 'run')} begun" if one.begun else "no run begun"
    questions = tag("span", icon("page", "s"), count(one.questions, "question"))
    yield tag("span", questions, tag("span", icon("live", "s"), begun), cls="figures")
