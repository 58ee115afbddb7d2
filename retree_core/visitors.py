"""Where visitors of the app may search: what its owner has set, and nothing else unless that is switched on.

A visitor names a search in a form, or brings in a trace that names one. Followed blindly, either would make the
app's machine read any file or ask any address.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from retree_core.errors import InputError, UsageError
from retree_core.run_folders import new_runs, sample_spec, samples_folder
from retree_core.search.corpus_files import corpus_files
from retree_core.secrets import redact

SEARCH_VARIABLE = "RETREE_SEARCH"
TRUST_VARIABLE = "RETREE_TRUST_VISITORS"
"""`1` on the app's machine: its visitors may name any file and any address."""
FIXED = ("google", "serper", "")
"""The two have one address each, and keys of the app's own; an empty one opens nothing."""


def search_by_default(environ: Mapping[str, str]) -> str:
    """The search that a visitor is offered, without a password that may be in it."""
    return redact(environ.get(SEARCH_VARIABLE, "").strip()) or sample_spec()


def search_allowed(spec: str, environ: Mapping[str, str]) -> str:
    """The search to open where a visitor, or a trace, asks for `spec`. Raises UsageError where it is not allowed."""
    wanted, own = spec.strip(), environ.get(SEARCH_VARIABLE, "").strip()
    if own and wanted in (own, redact(own)):
        return own
    if wanted in FIXED or environ.get(TRUST_VARIABLE) == "1":
        return wanted
    kind, _, path = wanted.partition(":")
    if kind == "corpus" and path and _lies_in(path, tuple(_given(own, environ))):
        return wanted
    raise UsageError(
        f"search {redact(wanted)[:100]!r} is not among those that this app may use: a corpus:PATH among its runs and "
        f"samples, google, serper, or what {SEARCH_VARIABLE} named when it started ({TRUST_VARIABLE}=1 allows any)"
    )


def _given(own: str, environ: Mapping[str, str]) -> Iterator[Path]:
    """Folders that the app was given to read."""
    yield samples_folder()
    yield new_runs(environ)
    if own.startswith("corpus:"):
        yield Path(own.removeprefix("corpus:")).expanduser()


def _lies_in(path: str, folders: tuple[Path, ...]) -> bool:
    """Whether a corpus, every file of it, lies in one of the folders after links are resolved."""
    try:
        roots = [one.resolve() for one in folders]
        place = Path(path).expanduser().resolve()
        inside = [one for one in roots if place.is_relative_to(one)]
        files = [one.resolve() for one in corpus_files(place)] if inside and place.is_dir() else []
    except (OSError, RuntimeError, ValueError, InputError):
        return False
    return bool(inside) and all(any(one.is_relative_to(root) for root in inside) for one in files)
