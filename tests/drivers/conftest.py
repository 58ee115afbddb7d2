import socket

import pytest


@pytest.fixture
def no_sockets(monkeypatch):
    """Any use of the network fails the test."""

    def refused(*_args, **_kwargs):
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refused)
    monkeypatch.setattr(socket, "create_connection", refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)
