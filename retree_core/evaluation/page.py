"""A report as one HTML page: no script, nothing fetched, light or dark as the reader's system has it."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path

from retree_core.evaluation.cells import Best, Cell, Trace
from retree_core.evaluation.paper import NAMES
from retree_core.evaluation.rendering import href
from retree_core.evaluation.report import DataSet, Report
from retree_core.evaluation.tables import Table
from retree_core.terminal import printable

WIDTH, HEIGHT = 460, 270
LEFT, RIGHT, TOP, BOTTOM = 56, 150, 30, 40
"""Margins of a figure; names of the agents stand on the right."""
MARKS = {"retree": "●", "react": "▲", "flat": "■", "report": "◆"}
"""An agent's points, so that no colour stands alone."""
LINE = 14
"""Least distance of two names, so that they do not run into each other."""


def page(report: Report, tables: Sequence[Table], folder: Path) -> str:
    """The page for a file in `folder`, to which links are relative."""
    style = files(__package__ or "").joinpath("page.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    body = "\n".join(_section(report, one, folder) for one in tables)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n'
        f"<title>ReTree evaluation report</title>\n<style>{style}</style>\n</head>\n<body>\n"
        f"<h1>ReTree evaluation report</h1>\n{body}\n</body>\n</html>\n"
    )


def _section(report: Report, table: Table, folder: Path) -> str:
    figures = "".join(map(figure, report.data_sets)) if table.title.startswith("Figure 3") else ""
    drawn = f'<div class="figures">{figures}</div>' if figures else ""
    head = "".join(f'<th scope="col">{escape(one)}</th>' for one in table.head) if any(table.head) else ""
    rows = "".join(f"<tr>{''.join(_cell(cell, folder) for cell in row)}</tr>\n" for row in table.rows)
    best = f"<p>In bold: {escape(table.best)}.</p>" if table.best else ""
    notes = best + "".join(f"<p>{escape(one)}</p>" for one in table.notes)
    shown = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>" if rows else ""
    return f'<section><h2>{escape(table.title)}</h2>{drawn}<div class="wide">{shown}</div>{notes}</section>'


def _cell(cell: Cell, folder: Path) -> str:
    if isinstance(cell, Trace):
        return f'<td><a href="{escape(href(cell, folder))}">{escape(cell.text)}</a></td>'
    number = "" if any(map(str.isalpha, cell)) else ' class="number"'
    text = f"<b>{escape(cell)}</b>" if isinstance(cell, Best) else escape(cell)
    return f"<td{number}>{text}</td>"


def figure(one: DataSet) -> str:
    """Figure 3 of one data set: mean policy context by completed retrievals, a line for each agent."""
    lines = {agent: _points(one, agent) for agent in one.scores}
    far = max((x for points in lines.values() for x, _ in points), default=0)
    high = max((y for points in lines.values() for _, y in points), default=0.0)
    if not far or not high:
        return ""
    title = f"Policy context by completed retrievals, {printable(one.name)}"
    drawn = "".join(_series(agent, points, far, _nice(high)) for agent, points in lines.items() if points)
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img" '
        f'aria-label="{escape(title)}; the table below holds the numbers">'
        f'<text x="{LEFT}" y="16" class="title">{escape(printable(one.name))}</text>'
        f"{_axes(far, _nice(high))}{drawn}{_names(lines, far, _nice(high))}</svg>"
    )


def _points(one: DataSet, agent: str) -> list[tuple[int, float]]:
    return [(x, rate.value) for x, rate in enumerate(one.scores[agent].contexts) if rate.value is not None]


def _nice(high: float) -> int:
    """The end of an axis: 1, 2 or 5 times a power of ten.

    >>> _nice(2817), _nice(57), _nice(1)
    (5000, 100, 1)
    """
    size = int("1" + "0" * (len(str(int(high))) - 1))
    return next(step * size for step in (1, 2, 5, 10) if step * size >= high)


def _x(value: float, far: int) -> float:
    return round(LEFT + (WIDTH - LEFT - RIGHT) * value / far, 1)


def _y(value: float, high: float) -> float:
    return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / high, 1)


def _axes(far: int, high: float) -> str:
    across = "".join(
        f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{_y(value, high)}" y2="{_y(value, high)}" class="grid"/>'
        f'<text x="{LEFT - 6}" y="{_y(value, high) + 4}" class="end">{value:,.0f}</text>'
        for value in (high * part / 4 for part in range(5))
    )
    along = "".join(
        f'<text x="{_x(value, far)}" y="{HEIGHT - BOTTOM + 16}" class="middle">{value}</text>'
        for value in range(far + 1)
    )
    below = f'<text x="{_x(far / 2, far)}" y="{HEIGHT - 6}" class="middle">completed retrievals (y: characters)</text>'
    return across + along + below


def _series(agent: str, points: Sequence[tuple[int, float]], far: int, high: float) -> str:
    places = [(_x(x, far), _y(y, high)) for x, y in points]
    line = " ".join(f"{x},{y}" for x, y in places)
    marks = "".join(
        f'<text x="{x}" y="{y + 4}" class="middle mark">{MARKS[agent]}<title>{NAMES[agent]}, after {one}: '
        f"{value:,.0f} characters</title></text>"
        for (x, y), (one, value) in zip(places, points, strict=True)
    )
    return f'<g class="{agent}"><polyline points="{line}"/>{marks}</g>'


def _names(lines: dict[str, list[tuple[int, float]]], far: int, high: float) -> str:
    """The agents' names beside the ends of their lines, moved apart where the ends meet."""
    ends = sorted((_y(points[-1][1], high), agent) for agent, points in lines.items() if points)
    return "".join(
        f'<text x="{WIDTH - RIGHT + 8}" y="{y + 4}" class="{agent}">{MARKS[agent]} {NAMES[agent]}</text>'
        for y, agent in _apart(ends)
    )


def _apart(ends: Sequence[tuple[float, str]]) -> Iterator[tuple[float, str]]:
    lowest = HEIGHT - BOTTOM - LINE * (len(ends) - 1)
    above = float("-inf")
    for place, (y, agent) in enumerate(ends):
        above = max(min(y, lowest + LINE * place), above + LINE)
        yield above, agent
