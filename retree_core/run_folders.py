"""Where runs lie: the samples that ship with the program, and a folder (or one file) of the user's own."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

RUNS_VARIABLE = "RETREE_RUNS"
DEFAULT_RUNS = "runs"
CORPUS = "corpus.jsonl"
"""Among the samples: what their runs searched."""


def samples_folder() -> Path:
    """The sample runs: inside the package when installed as a wheel, beside it in a checkout."""
    root = Path(__file__).resolve().parents[1]
    inside = root / "retree_viz" / "_sample_runs"
    return inside if inside.is_dir() else root / "sample_runs"


def sample_spec() -> str:
    """The search in the sample corpus, named from where the program was started where that is shorter."""
    path = samples_folder() / CORPUS
    with suppress(ValueError):
        path = path.relative_to(Path.cwd())
    return f"corpus:{path}"


def is_sample(trace: Path) -> bool:
    """Whether a file lies among the samples, which are not written to."""
    try:
        return trace.resolve().parent == samples_folder().resolve()
    except (OSError, RuntimeError, ValueError):
        return False


def sample_runs() -> tuple[Path, ...]:
    """The traces among the samples, by name."""
    return tuple(sorted(one for one in samples_folder().glob("*.jsonl") if one.name != CORPUS))


def own_runs(environ: Mapping[str, str] = os.environ) -> Path:
    """The user's own runs, a folder or one file: `RETREE_RUNS`, or `runs` where the program was started."""
    return Path(environ.get(RUNS_VARIABLE) or DEFAULT_RUNS).expanduser()


def new_runs(environ: Mapping[str, str] = os.environ) -> Path:
    """The folder that new runs go to: that of the user's own, unless those are one file."""
    own = own_runs(environ)
    return Path(DEFAULT_RUNS) if own.is_file() else own


def folder_beside(trace: Path, environ: Mapping[str, str] = os.environ) -> Path:
    """Where what is made of a run goes, such as forks and notes: beside it, or for a sample where new runs go."""
    return new_runs(environ) if is_sample(trace) else trace.parent
