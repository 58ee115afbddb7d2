"""The engine of now beside release 0.1: the same worlds must make the same events, requests and states.

`python tests/oracle/compare.py --worlds 1000 --seed 7` prints how many worlds agree, and the first differences.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2])]

import worlds
from oracle.intended import INTENDED
from oracle.release import REPOSITORY, release
from oracle.told import Job, Told, plain, told

OLD_TRACES = REPOSITORY / "tests" / "old_traces" / "0.1"
TOLD = Path(__file__).with_name("told.py")
MOST_TOLD = 10
LONGEST = 200
BEFORE = 40
RUNNER = (
    "import runpy, sys; site, tests, script = sys.argv[1:]; sys.path[:0] = [site, tests]; "
    "import retree_core; assert retree_core.__file__.startswith(site), retree_core.__file__; "
    "runpy.run_path(script, run_name='__main__')"
)
"""Sees the installed release and its tests before anything else."""


@dataclass(kw_only=True)
class Compared:
    """Two engines on the same worlds."""

    worlds: int = 0
    events: int = 0
    requests: int = 0
    broken: int = 0
    """Worlds that break release 0.1 itself."""
    agents: dict[str, int] = field(default_factory=dict)
    differences: list[str] = field(default_factory=list)


def compare(*, count: int, seed: int) -> Compared:
    """Random worlds and the replies of all old traces through both engines. Raises oracle.release.NotThere."""
    folder = release()
    job: Job = {"seed": seed, "worlds": count, "traces": traces(folder)}
    chaos = module_at(folder / "source" / "tests" / "random_worlds.py")
    found = Compared()
    with old_engine(folder, job) as before:
        for old, new in zip(before, told(job, worlds, chaos), strict=True):
            found.worlds += 1
            found.events += len(old.get("events", ()))
            found.requests += len(old.get("requests", ()))
            found.broken += "error" in old
            agent = old["settings"]["agent"]
            found.agents[agent] = found.agents.get(agent, 0) + 1
            if words := difference(old, json.loads(plain(new))):
                found.differences.append(f"{old['name']} ({agent}): {words}")
    return found


def traces(folder: Path) -> list[str]:
    """The samples of release 0.1, and all runs of the corpus that came to their end."""
    samples = [one for one in (folder / "source" / "sample_runs").glob("*.jsonl") if one.name != "corpus.jsonl"]
    verified = (OLD_TRACES / "verified.txt").read_text(encoding="utf-8").splitlines()
    ended = [line.split()[0] for line in verified if line.split()[1] == "ok" and ".cut-" not in line]
    return [str(one) for one in (*sorted(samples), *(OLD_TRACES / name for name in sorted(ended)))]


@contextmanager
def old_engine(folder: Path, job: Job) -> Iterator[Iterator[Told]]:
    """What release 0.1 tells of the worlds of a job, in a process of its own."""
    paths = [str(one) for one in (folder / "site", folder / "source" / "tests", TOLD)]
    environment = {"PATH": os.environ.get("PATH", "")}
    command = [sys.executable, "-I", "-c", RUNNER, *paths]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        process.stdin.write(json.dumps(job))
        process.stdin.close()
        try:
            yield map(json.loads, process.stdout)
        except BaseException:
            process.kill()
            raise
    if process.returncode:
        raise RuntimeError(f"release 0.1 ended with code {process.returncode}")


def module_at(path: Path) -> ModuleType:
    """The random worlds of release 0.1, so that the bytes mean the same to both engines."""
    spec = spec_from_file_location("random_worlds_of_release", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def difference(old: Told, new: Told) -> str:
    """The first difference that is not intended, in words; empty where there is none."""
    for intended in INTENDED:
        old, new = intended(old), intended(new)
    for name in ("error", "events", "requests", "state"):
        if words := differing(old.get(name), new.get(name), name):
            return words
    return ""


def differing(old: Any, new: Any, where: str) -> str:
    """
    >>> differing({"a": [1, 2]}, {"a": [1, 3]}, "state")
    'state a 2: 2 in 0.1, 3 now'
    """
    if old == new:
        return ""
    if isinstance(old, dict) and isinstance(new, dict):
        pairs = [(key, old.get(key), new.get(key)) for key in (*old, *(one for one in new if one not in old))]
    elif isinstance(old, list) and isinstance(new, list):
        longest = max(len(old), len(new))
        pairs = [(at + 1, *((one[at] if at < len(one) else None) for one in (old, new))) for at in range(longest)]
    else:
        at = same_start(old, new) if isinstance(old, str) and isinstance(new, str) else 0
        return f"{where}: {shown(old, at)} in 0.1, {shown(new, at)} now"
    return next(filter(None, (differing(a, b, f"{where} {key}") for key, a, b in pairs)), f"{where}: keys differ")


def same_start(old: str, new: str) -> int:
    """How many characters of two texts before their first difference need not be shown."""
    same = next((at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    return max(0, same - BEFORE)


def shown(value: Any, start: int = 0) -> str:
    text = json.dumps(value[start:] if start else value, ensure_ascii=True)
    return f"{'… ' if start else ''}{text if len(text) <= LONGEST else f'{text[:LONGEST]} …'}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    found = compare(count=args.worlds, seed=args.seed)
    by_agent = ", ".join(f"{count} {agent}" for agent, count in sorted(found.agents.items()))
    print(f"{found.worlds} worlds ({by_agent}), {found.events} events, {found.requests} requests in release 0.1")
    print(f"{found.broken} worlds break release 0.1 itself")
    print(f"{len(found.differences)} differ; {len(INTENDED)} intended differences are left out of account")
    print(*found.differences[:MOST_TOLD], sep="\n")
    return 1 if found.differences else 0


if __name__ == "__main__":
    sys.exit(main())
