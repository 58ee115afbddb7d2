"""What a results folder of `retree eval` holds: a row for each run that ended, and what is missing."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from pathlib import Path
from typing import Any

from retree_core.errors import InputError
from retree_core.evaluation import manifest
from retree_core.evaluation.batch import file_name, trace_name
from retree_core.evaluation.kept_rows import KeptRows, stamp_of
from retree_core.evaluation.rows import Row, asked_of, row_of
from retree_core.files import put
from retree_core.llm.strict_json import clean
from retree_core.secrets import redact_json
from retree_core.settings import AGENTS, AgentName
from retree_core.state import fold
from retree_core.text import cut_label
from retree_core.trace.reader import LINES, Trace, ending_of, read_trace

NAME = "results.jsonl"
TABLE = "results.parquet"
LARGEST = 2**63 - 1
"""Of a column of whole numbers."""
PAPER_ORDER = ("bamboogle", "hotpotqa", "2wiki", "frames")


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """What a results folder holds."""

    folder: Path
    manifest: Mapping[str, Any]
    rows: tuple[Row, ...]
    """Of runs that ended, question by question."""
    pending: Mapping[AgentName, int]
    """Runs that were not begun or not ended, for each agent that has any run; they are not scored."""
    unreadable: tuple[str, ...]
    """Traces that could not be read, in words."""
    strays: tuple[str, ...] = ()
    """What lies in `runs` and is in no row: other agents, traces of other questions; in words."""

    @property
    def name(self) -> str:
        return self.folder.resolve().name

    @property
    def agents(self) -> tuple[AgentName, ...]:
        return tuple(self.pending)


def results_folders(folder: Path) -> tuple[Path, ...]:
    """The folder itself, or the results folders in it, where an evaluation of several data sets put them; the paper's
    data sets first, in its order."""
    inside = sorted((one.parent for one in folder.glob(f"*/{manifest.NAME}")), key=_place)
    return (folder,) if (folder / manifest.NAME).exists() or not inside else tuple(inside)


def _place(folder: Path) -> tuple[int, str]:
    return (PAPER_ORDER.index(folder.name) if folder.name in PAPER_ORDER else len(PAPER_ORDER), folder.name)


def collect(folder: Path) -> Results:
    """Reads the results of `folder`; only of traces that changed since the last time is more read than their size and
    time. Raises InputError where it is no results folder."""
    known = manifest.read(folder)
    questions = _questions(known, folder)
    kept = KeptRows(folder)
    rows: list[Row] = []
    unreadable: list[str] = []
    agents = tuple(one for one in AGENTS if (folder / "runs" / one).is_dir())
    pending = dict.fromkeys(agents, 0)
    for question in questions:
        for agent in agents:
            try:
                row = _row(folder, kept, agent, question)
            except InputError as error:
                unreadable.append(str(error))
                row = None
            if row is None:
                pending[agent] += 1
            else:
                rows.append(row)
    kept.save(rows)
    return Results(
        folder=folder,
        manifest=known,
        rows=tuple(rows),
        pending=pending,
        unreadable=tuple(unreadable),
        strays=tuple(_strays(folder, {file_name(one["id"]) for one in questions})),
    )


def _questions(known: Mapping[str, Any], folder: Path) -> list[dict[str, Any]]:
    questions = known.get("questions")
    if not isinstance(questions, list) or not all(map(_is_question, questions)):
        raise InputError(f"{folder / manifest.NAME}: its questions are not as retree eval writes them")
    if twice := next((id_ for id_, number in Counter(one["id"] for one in questions).items() if number > 1), None):
        raise InputError(f"{folder / manifest.NAME}: two of its questions have the id {cut_label(twice, 60)!r}")
    return questions


def _is_question(one: Any) -> bool:
    texts = isinstance(one, dict) and isinstance(one.get("id"), str) and isinstance(one.get("question"), str)
    return texts and isinstance(one.get("answers"), list)


def _row(folder: Path, kept: KeptRows, agent: AgentName, question: Mapping[str, Any]) -> Row | None:
    """The row of a run; None where it was not begun or has not ended. Raises InputError for a file that is no trace."""
    name = trace_name(folder, agent, question["id"])
    stamp = stamp_of(folder / name)
    if stamp is None:
        return None
    asked = asked_of(question)
    if (known := kept.row(name, stamp)) and (known.id, known.type, known.golds) == asked:
        return known
    trace = _read(folder / name)
    if trace.corrupt:
        raise InputError(f"{folder / name}: {trace.corrupt[0]}")
    if (trace.header.question, trace.header.settings.agent) != (redact_json(clean(question["question"])), agent):
        raise InputError(f"{folder / name}: a run of another question or agent")
    state = fold(trace.events)
    if state.ended is None or state.ended.status == "interrupted":
        return None
    row = row_of(trace, state, agent, question, name)
    if max(_counts(row)) > LARGEST:
        raise InputError(f"{folder / name}: says a number that no table holds")
    kept.keep(row, stamp)
    return row


def _counts(row: Row) -> Iterator[int]:
    """The numbers of a row that are as the trace has them."""
    yield from (one or 0 for one in (row.context_max, *row.contexts))
    yield from (number for one in row.spent.values() for number in astuple(one))


def _read(path: Path) -> Trace:
    try:
        return read_trace(path)
    except InputError as error:
        raise InputError(f"{path}: {str(error).removeprefix(f'{path.name}: ').removeprefix(f'{path}: ')}") from None


def _strays(folder: Path, names: set[str]) -> Iterator[str]:
    """What lies among the runs and is none of this evaluation, or there twice."""
    for one in sorted(folder.glob("runs/*")):
        if one.name not in AGENTS:
            yield f"runs/{one.name}: no agent of ReTree"
            continue
        found = {each.name for each in one.glob("*")}
        if strange := sorted(each for each in found if _is_stray(each, names)):
            yield f"runs/{one.name}/{_first(strange)}: of no question in {manifest.NAME}"
        if twice := sorted(f"{each}.jsonl" for each in names if {f"{each}.jsonl", f"{each}.jsonl.gz"} <= found):
            yield f"runs/{one.name}/{_first(twice)}: there as .jsonl.gz too; of the two the one that has ended counts"


def _first(names: Sequence[str]) -> str:
    return names[0] + (f" and {len(names) - 1} more" if len(names) > 1 else "")


def _is_stray(name: str, names: set[str]) -> bool:
    ending = ending_of(name)
    return ending in LINES and name.removesuffix(ending) not in names


Verdict = Callable[[Row], Mapping[str, Any]]
"""What judges say of a row, as the columns that `retree_core.evaluation.table` names."""


def write(folder: Path, rows: Sequence[Row], verdicts: Verdict) -> None:
    """Writes the rows as JSON Lines and as one Parquet table, each whole or not at all."""
    from retree_core.evaluation.table import parquet

    lines = [clean(json.dumps({**asdict(one), **verdicts(one)}, ensure_ascii=False)) for one in rows]
    put(folder / NAME, "".join(f"{one}\n" for one in lines).encode())
    put(folder / TABLE, parquet([json.loads(one) for one in lines]))
