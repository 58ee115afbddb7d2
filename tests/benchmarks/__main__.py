"""Every benchmark one after the other, as one table: `PYTHONPATH=. python -m tests.benchmarks [--short] [NAME ...]`.

A benchmark is a module of this folder with `measure(short: bool) -> list[Row]`; each runs in a process of its own.
"""

from __future__ import annotations

import argparse
import multiprocessing
import pkgutil
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tests.benchmarks.table import Row, lines, measured

NAMES = sorted(
    one.name for one in pkgutil.iter_modules([str(Path(__file__).parent)]) if one.name not in ("__main__", "table")
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}; by default all")
    parser.add_argument("--short", action="store_true", help="smaller sizes, to see that a benchmark works")
    args = parser.parse_args()
    rows: list[Row] = []
    for name in args.names or NAMES:
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
            found = process.submit(measured, name, args.short).result()
        print(f"{name}: {sum(not one.met for one in found)} of {len(found)} rows missed", file=sys.stderr, flush=True)
        rows += found
    print(lines(rows))


if __name__ == "__main__":
    main()
