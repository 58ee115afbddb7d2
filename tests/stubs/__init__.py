"""Small real HTTP servers for tests: `StubServer` plays a script, `ChatServer` plays a model."""

from stubs.chat import ChatServer, completion
from stubs.server import Response, Seen, StubServer

__all__ = ["ChatServer", "Response", "Seen", "StubServer", "completion"]
