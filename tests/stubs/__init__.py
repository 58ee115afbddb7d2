"""Small real HTTP servers for tests: `StubServer` plays a script, `ChatServer` plays a model."""

from stubs.chat import ChatServer, completion, role_of
from stubs.clock import FakeClock
from stubs.server import Response, Seen, StubServer

__all__ = ["ChatServer", "FakeClock", "Response", "Seen", "StubServer", "completion", "role_of"]
