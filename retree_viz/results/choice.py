"""What the list of runs shows and in which order: part of the address."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

COLUMNS = (
    "status",
    "question",
    "set",
    "agent",
    "answer",
    "graded",
    "searches",
    "repairs",
    "pruned",
    "context",
    "tokens",
)
NUMBERS = COLUMNS[6:]
"""Columns of which the largest comes first when they are first sorted by."""
OUTCOMES = ("right", "wrong", "error", "unended")
KINDS = ("repair", "disagree", "stale")
CELLS = ("11", "10", "01", "00")
"""Of two agents on one question: which of them was right."""
TABLES = ("answers", "citations", "about")
PAGE = 100
"""Runs listed at once."""
LONGEST = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The default shows all runs, question by question."""

    text: str = ""
    """Of question or answer."""
    data_set: str = ""
    agent: str = ""
    outcome: str = ""
    only: tuple[str, ...] = ()
    """Kinds of run to leave out all others of."""
    versus: tuple[str, ...] = ()
    """Two agents, question by question; empty for the first two that there are."""
    cell: str = ""
    sort: str = ""
    down: bool = False
    page: int = 0
    row: str = ""
    """Address of the run that was opened last."""
    picked: tuple[str, ...] = ()
    """Addresses of at most two runs to compare; not in the address bar."""
    table: str = TABLES[0]
    figure: str = ""
    """Data set of the figure; empty for all."""

    @property
    def filters(self) -> bool:
        """Whether any run may be left out."""
        return bool(self.text or self.data_set or self.agent or self.outcome or self.only or self.cell)


EVERYTHING = Choice()


def from_query(query: Mapping[str, str]) -> Choice:
    """The choice that an address names; whatever makes no sense in it is left out.

    >>> from_query({"sort": "-tokens", "outcome": "lost"})
    Choice(text='', data_set='', agent='', outcome='', only=(), versus=(), cell='', sort='tokens', down=True, page=0, \
row='', picked=(), table='answers', figure='')
    """
    sort = query.get("sort", "")
    return Choice(
        text=query.get("find", "")[:LONGEST],
        data_set=query.get("set", "")[:LONGEST],
        agent=query.get("agent", "")[:LONGEST],
        outcome=_known(query.get("outcome", ""), OUTCOMES),
        only=tuple(one for one in KINDS if one in query.get("only", "").split(",")),
        versus=_two(query.get("versus", "")),
        cell=_known(query.get("cell", ""), CELLS),
        sort=_known(sort.removeprefix("-"), COLUMNS),
        down=sort.startswith("-") and sort[1:] in COLUMNS,
        page=_page(query.get("part", "")),
        row=query.get("row", "")[: 4 * LONGEST],
        table=_known(query.get("table", ""), TABLES) or TABLES[0],
        figure=query.get("figure", "")[:LONGEST],
    )


def to_query(choice: Choice) -> dict[str, str]:
    """The query that leads back to a choice."""
    found = {
        "find": choice.text,
        "set": choice.data_set,
        "agent": choice.agent,
        "outcome": choice.outcome,
        "only": ",".join(choice.only),
        "versus": ",".join(choice.versus),
        "cell": choice.cell,
        "sort": f"{'-' * choice.down}{choice.sort}",
        "part": str(choice.page + 1) if choice.page else "",
        "row": choice.row,
        "table": choice.table if choice.table != TABLES[0] else "",
        "figure": choice.figure,
    }
    return {name: value for name, value in found.items() if value}


def changed(choice: Choice, wish: str) -> Choice:
    """The choice after the user asked for `WHAT=VALUE`; a wish that makes no sense changes nothing.

    >>> changed(changed(Choice(), "sort=tokens"), "sort=tokens").down
    False
    """
    what, _, value = wish.partition("=")
    value = value[: 4 * LONGEST]
    match what:
        case "page":
            return replace(choice, page=_page(value))
        case "sort" if value in COLUMNS:
            down = not choice.down if value == choice.sort else value in NUMBERS
            return replace(choice, sort=value, down=down, page=0)
        case "only" if value in KINDS:
            return replace(choice, only=tuple(one for one in KINDS if (one in choice.only) != (one == value)), page=0)
        case "pick":
            return replace(choice, picked=_toggled(choice.picked, value))
        case "cell":
            agents, cell = _cell(value)
            same = cell == choice.cell and agents == choice.versus
            return replace(choice, versus=agents, cell="" if same else cell, page=0)
        case "versus":
            return replace(choice, versus=_two(value), cell="", page=0)
        case "bar":
            return replace(EVERYTHING, data_set=value[:LONGEST], agent="retree", only=KINDS[:1], table=choice.table)
        case "clear":
            kept: dict[str, Any] = {"table": choice.table, "figure": choice.figure, "versus": choice.versus}
            return replace(EVERYTHING, sort=choice.sort, down=choice.down, picked=choice.picked, **kept)
        case "find" | "set" | "agent" | "outcome":
            return replace(from_query(to_query(choice) | {what: value}), picked=choice.picked, page=0)
        case "table" | "figure":
            return replace(from_query(to_query(choice) | {what: value}), picked=choice.picked)
        case _:
            return choice


def _cell(value: str) -> tuple[tuple[str, ...], str]:
    """Agents and cell of `retree,flat,10`."""
    agents, _, cell = value.rpartition(",")
    return _two(agents), _known(cell, CELLS)


def _known(value: str, among: tuple[str, ...]) -> str:
    return value if value in among else ""


def _two(text: str) -> tuple[str, ...]:
    agents = tuple(text[:LONGEST].split(","))
    return agents if len(agents) == 2 and all(agents) and agents[0] != agents[1] else ()


def _page(text: str) -> int:
    """The page of a number from 1 on."""
    return max(0, int(text) - 1) if text.isascii() and text.isdigit() and len(text) < 7 else 0


def _toggled(picked: tuple[str, ...], one: str) -> tuple[str, ...]:
    """Without it, or with it and the last one that was picked before."""
    return tuple(each for each in picked if each != one) if one in picked else (*picked[-1:], one)
