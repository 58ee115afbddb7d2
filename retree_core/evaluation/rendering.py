"""A report's tables as plain text, Markdown, CSV and JSON values."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any
from urllib.parse import quote

from retree_core.evaluation.cells import Best, Cell, Trace
from retree_core.evaluation.paper import STATEMENTS, TABLE_2
from retree_core.evaluation.report import DataSet, Report
from retree_core.evaluation.scores import Rate, Score
from retree_core.evaluation.tables import Table
from retree_core.terminal import printable
from retree_core.text import cut_label

WIDEST = 90
"""Characters of a column on a terminal."""
BEST = "*"
"""After a cell that stands out, where there is no bold."""


def text(tables: Sequence[Table]) -> str:
    """The tables for a terminal, in columns."""
    return "\n\n".join("\n".join(_lines(one)) for one in tables)


def _lines(table: Table) -> Iterator[str]:
    yield table.title
    rows = [row for row in (table.head, *map(_plain, table.rows)) if any(row)] if table.rows else []
    widths = [max(len(row[place]) for row in rows) for place in range(len(table.head))] if rows else []
    for row in rows:
        yield "  " + "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
    if table.best:
        yield f"  {BEST}: {table.best}."
    yield from (f"  {one}" for one in table.notes)


def _plain(row: Sequence[Cell]) -> tuple[str, ...]:
    """The cells as texts, cut where that keeps the columns; the last one is whole."""
    texts = [cell.text if isinstance(cell, Trace) else _marked(cell) for cell in row]
    return (*(cut_label(one, WIDEST) for one in texts[:-1]), texts[-1])


def _marked(cell: str) -> str:
    return f"{cell} {BEST}" if isinstance(cell, Best) else cell


def markdown(tables: Sequence[Table], folder: Path) -> str:
    """The tables as Markdown for a file in `folder`, to which links are relative."""
    return "# ReTree evaluation report\n\n" + "\n".join("\n".join(_markdown(one, folder)) for one in tables)


def _markdown(table: Table, folder: Path) -> Iterator[str]:
    yield f"## {escaped(table.title)}\n"
    if table.rows:
        yield _markdown_row([escaped(one) for one in table.head])
        yield _markdown_row(["---"] * len(table.head))
        yield from (_markdown_row([_markdown_cell(cell, folder) for cell in row]) for row in table.rows)
        yield ""
    if table.best:
        yield f"In bold: {escaped(table.best)}.\n"
    yield from (f"{escaped(one)}\n" for one in table.notes)


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown_cell(cell: Cell, folder: Path) -> str:
    if isinstance(cell, Trace):
        return f"[{escaped(cell.text)}](<{href(cell, folder)}>)"
    return f"**{escaped(cell)}**" if isinstance(cell, Best) else escaped(cell)


def escaped(text: str) -> str:
    """Text that Markdown shows as it is: no markup, no HTML, no cell border, no address that becomes a link.

    >>> escaped("a|b *c* <img> [1](x)")
    'a\\\\|b \\\\*c\\\\* &lt;img&gt; \\\\[1\\\\](x)'
    """
    plain = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    literal = re.sub(r"([\\`*_{}\[\]#|~$!])", r"\\\1", plain)
    return re.sub(r"(https?|ftp|mailto|xmpp|www)(?=[:.])|(@)", r"\g<0>&#8203;", literal, flags=re.IGNORECASE)


def href(trace: Trace, folder: Path) -> str:
    """The address of a trace from a file in `folder`."""
    return quote(os.fsencode(Path(os.path.relpath(trace.path, folder)).as_posix()))


FIELDS = ("table", "data set", "agent", "measure", "value", "low", "high", "of", "trace")


def table_csv(report: Report) -> str:
    """One line a number, for a spreadsheet or a script; `low` and `high` are the 95 % interval, shares are of 1.

    Texts are on one line with hidden characters written out, formulas behind an apostrophe; JSON has them as they are.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(FIELDS)
    for row in _records(report):
        writer.writerow([safe(printable(one)) if isinstance(one, str) else one for one in row])
    return out.getvalue()


_FORMULA = re.compile(r"(^|[;\t])(?=[^\w;]*?[=+@＝＋－＠-])")
"""Where a spreadsheet may begin a formula: at a start, blanks and signs left out, and where it may part cells anew."""


def safe(text: str) -> str:
    """A text that no spreadsheet takes for a formula, one with an apostrophe before it.

    >>> safe("=1+1"), safe(" -x"), safe("x=1"), safe("x;=1")
    ("'=1+1", "' -x", 'x=1', "x;'=1")
    """
    return _FORMULA.sub(r"\1'", text) if text.strip() else text


def _records(report: Report) -> Iterator[tuple[Any, ...]]:
    for each in report.data_sets:
        for agent, one in each.scores.items():
            for table, measure, found in _measures(one):
                yield table, each.name, agent, measure, *_numbers(found), ""
    for each in report.data_sets:
        for first, other, all_found in each.differences:
            for apart in all_found:
                about = f"{apart.measure}: {first} minus {other}"
                yield "paired", each.name, first, about, apart.difference, "", "", apart.questions, ""
                yield "paired", each.name, first, f"p of {about}", apart.p, "", "", apart.questions, ""
    for dispute in report.disputes:
        for told in dispute.told:
            right = "error" if told.right is None else "right" if told.right else "wrong"
            yield (
                "differing",
                dispute.data_set,
                told.agent,
                f"{right}: {dispute.id}",
                told.answer,
                "",
                "",
                "",
                str(told.trace),
            )


def _numbers(one: Rate | int | float | None) -> tuple[Any, ...]:
    return (one.value, one.low, one.high, one.of) if isinstance(one, Rate) else (one, None, None, None)


def _measures(one: Score) -> Iterator[tuple[str, str, Rate | int | float | None]]:
    yield "1", "runs", one.runs
    yield "1", "errors", one.errors
    yield "1", "blank answers", one.blank
    yield "1", "exact match", one.exact
    for grade, number in one.grades.items():
        yield "1", grade, number
    yield "1", "judge accuracy", one.accuracy
    yield "1", "average maximum policy context", one.context
    yield "1", "model calls a run", one.calls
    yield "1", "tokens a run", one.tokens
    yield "1", "natural backtrack", one.backtracked
    yield "2", "claims", one.attribution.claims
    yield "2", "CitePrec", one.cite_precision
    yield "2", "CiteRec", one.cite_recall
    yield "2", "CiteF1", one.attribution.f1
    yield "2", "Uncited", one.uncited
    yield "2", "ALCE recall", one.alce.recall if one.alce else None
    yield "2", "ALCE precision", one.alce.precision if one.alce else None
    yield "2", "answers without claims", one.without_claims
    yield "2", "undecided claims", one.undecided
    yield "2", "stale citations", one.stale
    yield "2", "missing citations", one.missing
    for retrievals, context in enumerate(one.contexts):
        yield "figure 3", f"policy context after {retrievals} retrievals", context
    for role, spent in one.spent.items():
        for name, number in asdict(spent).items():
            yield "roles", f"{role} {name}", number


def as_json(report: Report) -> dict[str, Any]:
    """The report as one JSON object; shares are of 1, what was not judged is null."""
    return {
        "data_sets": [_data_set(one) for one in report.data_sets],
        "runs": [
            {
                "folder": str(results.folder),
                "about": dict(report.described(place)),
                "pending": dict(results.pending),
                "unreadable": list(results.unreadable),
                "strays": list(results.strays),
            }
            for place, results in enumerate(report.results)
        ],
        "shared": [asdict(one) for one in report.shared],
        "differing": [{**asdict(one), "told": [_told(asdict(told)) for told in one.told]} for one in report.disputes],
        "paper": {
            "table_2": {agent: asdict(one) for agent, one in TABLE_2.items()},
            "statements": [
                {
                    "measure": one.what,
                    "paper": one.paper,
                    "unit": one.unit,
                    "here": {each.name: one.here(each.scores) for each in report.data_sets},
                }
                for one in STATEMENTS
            ],
        },
    }


def _data_set(one: DataSet) -> dict[str, Any]:
    return {
        "name": one.name,
        "agents": {agent: {**asdict(found), "cite_f1": found.attribution.f1} for agent, found in one.scores.items()},
        "paired": [
            {"one": first, "other": other, **asdict(found)}
            for first, other, all_found in one.differences
            for found in all_found
        ],
    }


def _told(one: dict[str, Any]) -> dict[str, Any]:
    return {**one, "trace": str(one["trace"])}
