"""One recorded model call made again, with another prompt; the reply is compared and noted, no trace is touched."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from retree_core.calls import Answered, CallFailed, ModelCall
from retree_core.drivers.background import Background
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


class Again(Background):
    """A call being made."""

    def __init__(self, call: ModelCall, client: ModelClient, keep: Keep) -> None:
        """Starts the call. `keep` is given the reply, even where nobody looks any more; a failed call is not kept."""
        self.call = call
        self.answered: Answered | None = None
        self.begin(self._make(client, keep), "retree-again")

    async def _make(self, client: ModelClient, keep: Keep) -> None:
        try:
            answered = await client.complete(self.call)
        except asyncio.CancelledError:
            self.error = "Stopped before a reply came."
            raise
        finally:
            await client.close()
        if isinstance(answered.reply, CallFailed):
            self.error = answered.reply.message
        else:
            self.answered = answered
            keep(answered)
