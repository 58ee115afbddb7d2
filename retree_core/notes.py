"""What people write about a run: notes, labels of decisions, calls made again. Kept beside the trace, never in it.

One JSON document a run, `NAME.notes.json` beside `NAME.jsonl`, those on samples where new runs go. Fields that this
version does not know survive.
"""

from __future__ import annotations

import json
import os
import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from errno import EINVAL, ELOOP
from functools import lru_cache
from itertools import count
from pathlib import Path
from stat import S_ISREG
from typing import Any, Final, Literal, get_args

from retree_core.calls import JsonObject
from retree_core.errors import InputError, UsageError
from retree_core.llm import strict_json
from retree_core.run_folders import folder_beside
from retree_core.secrets import redact_json
from retree_core.trace.reader import ENDINGS
from retree_core.trace.writer import utc_now

FORMAT = "retree-notes"
VERSION = 1
ENDING = ".notes.json"
MAX_BYTES = 64 << 20
"""Largest file of notes that is read."""
Verdict = Literal["right", "wrong"]
"""What a label says of a decision."""
VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)
_MOST_EVENTS = 10**9
"""Of any run; a moment beyond is none."""
_ID = re.compile(r"[!-~]{1,64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    """All notes on one run, oldest first."""

    trace: str = ""
    """Run id of the trace; empty while there are no notes."""
    notes: tuple[JsonObject, ...] = ()
    """Each with `id`, `at`, `kind` (`note`, `label` or `rerun`), `moment`, `text`, and what its kind needs."""
    extra: JsonObject = field(default_factory=dict)

    def of(self, kind: str) -> tuple[JsonObject, ...]:
        """The notes of one kind."""
        return tuple(one for one in self.notes if one.get("kind") == kind)


def notes_path(trace_path: str | os.PathLike[str]) -> Path:
    """Where the notes on a trace are kept, as long as no other run's are.

    >>> notes_path("runs/a.jsonl.gz").name
    'a.notes.json'
    """
    path = Path(trace_path)
    ending = next((one for one in sorted(ENDINGS, key=len, reverse=True) if path.name.lower().endswith(one)), "")
    return path.with_name(path.name[: len(path.name) - len(ending)] + ENDING)


def notes_file(trace: Path, run_id: str, environ: Mapping[str, str] = os.environ) -> Path:
    """The file of notes on a run, there or not: of its name, unless that holds the notes on another run."""
    path = folder_beside(trace, environ) / notes_path(trace).name
    start = "".join(one for one in run_id if one.isascii() and one.isalnum())[:8]
    apart = path.with_name(f"{path.name.removesuffix(ENDING)}-{start or 'other'}{ENDING}")
    return apart if apart.exists() or _run_noted(path) not in ("", run_id) else path


def _run_noted(path: Path) -> str:
    """Run id that a file of notes names; empty where it names none, or cannot be read."""
    try:
        about = path.stat()
        return _run_named(path, about.st_size, about.st_mtime_ns, about.st_ino)
    except (OSError, InputError):
        return ""


@lru_cache(maxsize=500)
def _run_named(path: Path, *version: int) -> str:
    """As `_run_noted`, read once a version of the file."""
    return read_notes(path).trace


def moment_of(note: JsonObject) -> int:
    """The moment a note belongs to; 0 where it names none."""
    moment = note.get("moment")
    if not isinstance(moment, int) or isinstance(moment, bool):
        return 0
    return moment if 0 <= moment <= _MOST_EVENTS else 0


def read_notes(path: str | os.PathLike[str]) -> Notes:
    """The notes in a file; none where there is no file. Raises InputError where it holds something else."""
    try:
        with open(path, "rb", opener=_plain) as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return Notes()
    except OSError as error:
        raise InputError(f"{path}: the notes cannot be read ({error.strerror or error})") from None
    if len(data) > MAX_BYTES:
        raise InputError(f"{path}: over {MAX_BYTES >> 20} MiB, the largest file of notes that is read")
    return _parsed(data, path)


def add_note(path: str | os.PathLike[str], note: JsonObject, *, trace: str = "") -> Notes:
    """Append a note, given its `id` and time here, and return all; `trace` is the run id, for a new file.

    Keys are taken out of it. Two writers lose nothing. Raises InputError where the file is damaged, which is then
    left as it is, and UsageError where it cannot be written.
    """

    def added(before: Notes) -> Notes:
        known = {one.get("id") for one in before.notes}
        fresh = next(id_ for id_ in iter(lambda: secrets.token_hex(4), "") if id_ not in known)
        whole = {"id": fresh, "at": utc_now(), **redact_json(note)}
        return replace(before, trace=before.trace or trace, notes=(*before.notes, whole))

    return _changed(Path(path), added)


def remove_notes(path: str | os.PathLike[str], *ids: str) -> Notes:
    """Take the notes with these ids out, those that are there, and return the others. Raises as `add_note`."""
    return _changed(
        Path(path), lambda before: replace(before, notes=tuple(one for one in before.notes if one["id"] not in ids))
    )


def _parsed(data: bytes, path: str | os.PathLike[str]) -> Notes:
    if not data.strip():
        return Notes()
    try:
        whole, reason = strict_json.exact(data), ""
    except ValueError as error:
        whole, reason = None, f" ({error})"
    items = whole.get("notes") if isinstance(whole, dict) else None
    if not isinstance(whole, dict) or whole.get("format") != FORMAT or not isinstance(items, list):
        raise InputError(f"{path}: not a file of ReTree notes{reason}; repair it, or move it away to start anew")
    bad = next((number for number, one in enumerate(items, 1) if not isinstance(one, dict)), None)
    if bad is not None:
        raise InputError(f"{path}: note {bad} is no JSON object; repair it, or move the file away to start anew")
    extra = {name: one for name, one in whole.items() if name not in ("format", "version", "trace", "notes")}
    trace = whole.get("trace")
    return Notes(trace=trace if isinstance(trace, str) else "", notes=tuple(_well_formed(items)), extra=extra)


def _well_formed(items: list[JsonObject]) -> Iterator[JsonObject]:
    """The notes with what everything else relies on: an id of their own, a moment, a label's verdict.

    Other fields stay as they are. A note without an id, or with that of an earlier one, is named by its position.
    """
    named = {id_ for one in items if (id_ := _id(one))}
    taken: set[str] = set()
    for number, one in enumerate(items, 1):
        id_ = _id(one)
        if not id_ or id_ in taken:
            free = (f"{number}{'.' * dots}" for dots in count())
            id_ = next(name for name in free if name not in named)
        taken.add(id_)
        moment = {"moment": moment_of(one)} if "moment" in one else {}
        kind = {"kind": "note"} if one.get("kind") == "label" and one.get("verdict") not in VERDICTS else {}
        yield {**one, "id": id_, **moment, **kind}


def _id(note: JsonObject) -> str:
    """A note's id; empty where it has none that can be used."""
    id_ = note.get("id")
    return id_ if isinstance(id_, str) and _ID.fullmatch(id_) else ""


def _changed(path: Path, change: Callable[[Notes], Notes]) -> Notes:
    """The notes after a change, on disk as a whole or not at all."""
    try:
        with suppress(FileExistsError):
            path.parent.mkdir(parents=True)
        with _locked(path):
            after = change(read_notes(path))
            _put(path, written(after))
    except OSError as error:
        raise UsageError(f"{path}: the notes cannot be written ({error.strerror or error})") from None
    return after


def _put(path: Path, data: bytes) -> None:
    draft = path.with_name(path.name + ".part")
    draft.unlink(missing_ok=True)  # of a writer that was killed
    try:
        with draft.open("xb") as file:
            file.write(data)
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise


def _plain(path: str, flags: int) -> int:
    """Opens a file, for `open`. Raises OSError where it is a link, which may lead anywhere, or a pipe, which hangs."""
    careful = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        descriptor = os.open(path, flags | careful, 0o666)
    except OSError as error:
        raise OSError(error.errno, "a link is not followed" if error.errno == ELOOP else error.strerror) from None
    if not S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(EINVAL, "not a plain file")
    return descriptor


def written(notes: Notes) -> bytes:
    """The notes as their file holds them."""
    body: Mapping[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "trace": notes.trace,
        **notes.extra,
        "notes": list(notes.notes),
    }
    text = json.dumps(body, ensure_ascii=False, allow_nan=False, indent=1)
    return text.encode("utf-8", "backslashreplace") + b"\n"


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """No other writer changes the file meanwhile; it is made empty where there is none."""
    while True:
        with open(path, "ab", opener=_plain) as file:
            with suppress(ImportError):
                import fcntl

                fcntl.flock(file, fcntl.LOCK_EX)
            if _is_at(path, file.fileno()):
                yield
                return


def _is_at(path: Path, descriptor: int) -> bool:
    """False where another writer has put a new file in the place of the one that was waited for."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False
