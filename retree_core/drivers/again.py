"""One recorded model call made again, with another prompt; the reply is compared and noted, no trace is touched."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from retree_core.calls import Answered, CallFailed, ModelCall
from retree_core.errors import ReTreeError
from retree_core.llm.client import ModelClient

Keep = Callable[[Answered], None]
"""Takes a reply that came, on the thread of the call; may raise ReTreeError or OSError."""


def edited(
    call: ModelCall, *, model: str, messages: Sequence[Mapping[str, Any]], temperature: float, seed: int
) -> ModelCall:
    """The call with these parts of its request in place of the recorded ones; all others stay, the schema too.

    >>> call = ModelCall(role="answer", body={"model": "a", "max_tokens": 9})
    >>> edited(call, model="b", messages=[], temperature=0.5, seed=1).body["max_tokens"]
    9
    """
    changes = {"model": model, "messages": [dict(one) for one in messages], "temperature": temperature, "seed": seed}
    return ModelCall(role=call.role, body={**call.body, **changes})


class Again:
    """A call being made on a thread of its own; safe to ask from another one."""

    def __init__(self, call: ModelCall, client: ModelClient, keep: Keep) -> None:
        """Starts the call. `keep` is given the reply, even where nobody looks any more; a failed call is not kept."""
        self.call = call
        self.answered: Answered | None = None
        self.error = ""
        """One line for a person; empty while all is well."""
        self._client = client
        self._keep = keep
        self._loop = asyncio.new_event_loop()
        self._task = self._loop.create_task(self._make())
        self._thread = threading.Thread(target=self._run, daemon=True, name="retree-again")
        self._thread.start()

    async def _make(self) -> Answered:
        try:
            return await self._client.complete(self.call)
        finally:
            await self._client.close()

    def _run(self) -> None:
        try:
            answered = self._loop.run_until_complete(self._task)
            if isinstance(answered.reply, CallFailed):
                self.error = answered.reply.message
                return
            self.answered = answered
            self._keep(answered)
        except asyncio.CancelledError:
            self.error = "Stopped before a reply came."
        except (ReTreeError, OSError) as error:
            self.error = str(error)
        finally:
            self._loop.close()

    @property
    def finished(self) -> bool:
        """A reply came, the call failed, or it was stopped."""
        return not self._thread.is_alive()

    def stop(self) -> None:
        """Gives the call up."""
        with suppress(RuntimeError):  # it has just ended
            self._loop.call_soon_threadsafe(self._task.cancel)

    def join(self, timeout_s: float | None = None) -> None:
        """Waits for the end, at most `timeout_s` seconds."""
        self._thread.join(timeout_s)
