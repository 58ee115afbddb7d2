"""Replies kept in a file by their exact request, so that no request is paid for twice."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from io import FileIO
from pathlib import Path
from types import TracebackType

from retree_core.calls import Answered, JsonObject, ModelCall, ModelReply
from retree_core.drivers.live import Model
from retree_core.errors import InputError, ModelNeeded, ReTreeError, UsageError
from retree_core.files import locked, put_all
from retree_core.llm import strict_json
from retree_core.secrets import redact_json
from retree_core.trace.records import line


class ReplyStore:
    """A JSON Lines file of {"body", "raw"}; asks `model` for what it lacks and appends the reply. A context manager.

    Failed calls are not kept. A last line torn by a kill is dropped; any other bad line is an InputError. With a
    model, a second process at the same file is refused (UsageError).
    """

    def __init__(self, path: Path, model: Model | None = None) -> None:
        self._model = model
        self._path = path
        self.asked = 0
        """Calls that went to the model."""
        self._file = _open(path) if model else None
        try:
            self._replies, end = _read(path)
        except InputError:
            self.close()
            raise
        if self._file is not None:
            self._file.truncate(end)

    def holds(self, call: ModelCall) -> bool:
        """Whether a reply to the very same request is recorded."""
        return _key(call.body) in self._replies

    async def complete(self, call: ModelCall) -> Answered:
        """The recorded reply to the very same request, or the model's. Raises ModelNeeded without a model."""
        if (raw := self._replies.get(_key(call.body))) is not None:
            return Answered(reply=ModelReply(raw=raw), seconds=0.0)
        return await self.ask(call)

    async def ask(self, call: ModelCall) -> Answered:
        """The model's reply, whatever is recorded; it takes the place of what was. Raises ModelNeeded."""
        if self._model is None:
            raise ModelNeeded(f"{self._path} holds no reply to this {call.role} call")
        answered = await self._model.complete(call)
        self.asked += 1
        if not isinstance(answered.reply, ModelReply):
            return answered
        reply = ModelReply(raw=redact_json(answered.reply.raw))
        self._keep(call.body, reply.raw)
        return replace(answered, reply=reply)

    def _keep(self, body: JsonObject, raw: JsonObject) -> None:
        self._replies[_key(body)] = raw
        if self._file is not None:
            _append(self._file, line({"body": redact_json(body), "raw": raw}), self._path)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def __enter__(self) -> ReplyStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _key(body: JsonObject) -> str:
    """A request as the file can hold it, without keys."""
    return json.dumps(redact_json(body), sort_keys=True)


def _read(path: Path) -> tuple[dict[str, JsonObject], int]:
    """Replies by request, and where the last whole line ends."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return {}, 0
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from None
    end = data.rfind(b"\n") + 1
    replies: dict[str, JsonObject] = {}
    for number, text in enumerate(data[:end].split(b"\n"), 1):
        if text.strip():
            body, raw = _entry(text, f"{path}:{number}")
            replies[_key(body)] = raw
    return replies, end


def _entry(text: bytes, where: str) -> tuple[JsonObject, JsonObject]:
    try:
        entry = strict_json.exact(text)
        body, raw = entry["body"], entry["raw"]
    except (ValueError, KeyError, TypeError):
        body = raw = None
    if not isinstance(body, Mapping) or not isinstance(raw, Mapping):
        raise InputError(f'{where}: expected an object {{"body", "raw"}} as --replies writes them')
    return body, raw


def _open(path: Path) -> FileIO:
    """The file to append to, which no other process writes meanwhile. Raises UsageError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = open(path, "ab", buffering=0)  # noqa: SIM115
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror or error})") from None
    if not locked(file):
        file.close()
        raise UsageError(f"{path}: another process keeps its replies there; wait for it, or name another")
    return file


def _append(file: FileIO, data: bytes, path: Path) -> None:
    """All of the data or none of it. Raises ReTreeError."""
    end = os.fstat(file.fileno()).st_size
    try:
        put_all(file, data)
    except OSError as error:
        with suppress(OSError):
            file.truncate(end)
        why = error.strerror or str(error)
        raise ReTreeError(f"{path}: cannot be written ({why}); the replies before are kept, so start again") from None
