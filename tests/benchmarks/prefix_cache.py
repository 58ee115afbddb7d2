"""How much of all prompts a model server finds in its prefix cache.

    PYTHONPATH=. python -m tests.benchmarks.prefix_cache [TRACE or FOLDER ...]

Without arguments the sample runs are looked at. What a server with a radix tree of prompts (SGLang's) would serve is
counted by characters: of each prompt the longest beginning that any earlier one has as well. A fresh server has seen
nothing but the run itself; a warm one has seen the other runs before. What the server of a run reported is counted by
its tokens, where it did report.
"""

from __future__ import annotations

import argparse
from bisect import bisect
from collections.abc import Iterable, Sequence
from pathlib import Path

from retree_core.calls import ModelCall
from retree_core.errors import InputError
from retree_core.trace import Trace, read_trace
from retree_core.trace.spent import Spent, spent
from tests.benchmarks.table import Row, lines

SAMPLES = Path(__file__).parents[2] / "sample_runs"
LEAST = 0.5


class RadixCache:
    """All prompts so far. In their order, the one that shares the longest beginning with another stands beside it."""

    def __init__(self) -> None:
        self._prompts: list[str] = []

    def served(self, prompt: str) -> int:
        """Characters of the prompt that are at hand; it is at hand itself from then on."""
        place = bisect(self._prompts, prompt)
        beside = self._prompts[max(0, place - 1) : place + 1]
        self._prompts.insert(place, prompt)
        return max((shared(prompt, one) for one in beside), default=0)


def shared(first: str, second: str) -> int:
    """Characters up to the first that differs."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((place for place, (one, other) in pairs if one != other), min(len(first), len(second)))


def prompts(trace: Trace) -> list[str]:
    """What the model reads at each call, as Qwen's chat template puts it."""
    asked = [one.call.body["messages"] for one in trace.calls if isinstance(one.call, ModelCall)]
    return ["".join(f"<|im_start|>{one['role']}\n{one['content']}<|im_end|>\n" for one in each) for each in asked]


def share(runs: Sequence[Sequence[str]], *, warm: bool) -> tuple[int, int]:
    """Characters served and asked of all runs, each on a server of its own, fresh or warmed by the other runs."""
    served = 0
    for run in runs:
        cache = RadixCache()
        for other in (other for other in runs if warm and other is not run):
            for prompt in other:
                cache.served(prompt)
        served += sum(map(cache.served, run))
    return served, sum(len(prompt) for run in runs for prompt in run)


def measure(short: bool) -> list[Row]:
    return rows("sample runs", [read_trace(one) for one in sorted(SAMPLES.glob("*-*.jsonl"))])


def rows(what: str, traces: Sequence[Trace]) -> list[Row]:
    """What a radix tree would serve of the traces' prompts, and what their servers reported."""
    runs = [prompts(one) for one in traces]
    found = [
        _row(f"prompts from a prefix cache, {what}, {kind} server", *share(runs, warm=kind == "warm"), "characters")
        for kind in ("fresh", "warm")
    ]
    return found + reported(what, sorted(traces, key=lambda one: one.header.created_at))


def reported(what: str, traces: Sequence[Trace]) -> list[Row]:
    """What servers said they served, of all runs and of those after the first; nothing where they did not say."""
    told = [sum(spent(one.calls).values(), Spent()) for one in traces]
    counted = {"as reported": told, "as reported after the first run": told[1:]}
    sums = {name: sum(each, Spent()) for name, each in counted.items()}
    return [
        _row(f"prompts from a prefix cache, {what}, {name}", one.cached, one.prompt, "tokens")
        for name, one in sums.items()
        if one.cached
    ]


def _row(what: str, served: int, asked: int, unit: str) -> Row:
    ratio = served / asked
    return Row(
        what=what,
        ours=f"{served:,} {unit}",
        alternative=f"all of them: {asked:,}",
        ratio=ratio,
        target=f"at least {LEAST:.0%}",
        met=ratio >= LEAST,
    )


def traces_in(paths: Iterable[Path]) -> list[Trace]:
    """The traces named, and those in folders and below; what is no trace is left out."""
    files = [each for one in paths for each in (sorted(one.rglob("*.jsonl*")) if one.is_dir() else [one])]
    found = []
    for one in files:
        try:
            found.append(read_trace(one))
        except InputError:
            continue
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path, metavar="TRACE or FOLDER")
    args = parser.parse_args()
    found = [row for one in args.paths for row in rows(one.name, traces_in([one]))]
    print(lines(found or measure(short=False)))


if __name__ == "__main__":
    main()
