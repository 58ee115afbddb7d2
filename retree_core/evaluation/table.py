"""Rows as one Parquet table, for pandas, DuckDB, Polars or a spreadsheet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from importlib import import_module
from typing import Any, get_args

from retree_core.calls import Role
from retree_core.evaluation.rows import Row
from retree_core.trace.spent import Spent

ROLES: tuple[Role, ...] = tuple(one for one in get_args(Role) if one not in ("judge", "entail", "imported"))
COUNTS = tuple(one.name for one in fields(Spent))
PASSAGE = ("id", "title", "url", "published", "text")
VERDICTS = {
    "judged": str,
    "judge_reason": str,
    "claims_judged": int,
    "claims_supported": int,
    "claims_uncited": int,
    "citations_judged": int,
    "citations_supporting": int,
}
"""Columns of what judges said, null where they said nothing."""
_PLAIN = {
    "str": "string",
    "AgentName": "string",
    "int": "int64",
    "int | None": "int64",
    "bool": "bool_",
    "float": "float64",
}
"""Type of a field to the function of pyarrow that makes its column."""


def parquet(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """The rows, as `retree_core.evaluation.results` writes them, as a Parquet file.

    What was spent is spread over columns such as `prompt_policy`; claims stay nested.
    """
    pyarrow, writer = import_module("pyarrow"), import_module("pyarrow.parquet")
    sink = pyarrow.BufferOutputStream()
    writer.write_table(pyarrow.Table.from_pylist([_flat(one) for one in rows], schema=_schema(pyarrow)), sink)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    spent = {f"{count}_{role}": row["spent"].get(role, {}).get(count, 0) for role in ROLES for count in COUNTS}
    return {**row, **spent}


def _schema(pa: Any) -> Any:
    texts, numbers = pa.list_(pa.string()), pa.list_(pa.int64())
    passage = pa.struct([(name, pa.string()) for name in PASSAGE])
    citation = pa.struct([("id", pa.string()), ("standing", pa.string()), ("passages", pa.list_(passage))])
    claims = pa.list_(pa.struct([("text", pa.string()), ("citations", pa.list_(citation))]))
    nested = {"golds": texts, "contexts": numbers, "claims": claims}
    plain = {one.name: getattr(pa, _PLAIN[str(one.type)])() for one in fields(Row) if str(one.type) in _PLAIN}
    spent = {f"{count}_{role}": pa.int64() for role in ROLES for count in COUNTS}
    said = {name: pa.string() if kind is str else pa.int64() for name, kind in VERDICTS.items()}
    return pa.schema(list((plain | nested | spent | said).items()))
