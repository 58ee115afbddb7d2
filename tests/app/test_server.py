"""The served app: who can reach it, and what it hands out to whoever does."""

from __future__ import annotations

import base64
import contextlib
import http.client
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOOPBACK = {"0100007F", "00000000000000000000000001000000"}
"""127.0.0.1 and ::1 as /proc/net writes them."""
UI = [sys.executable, "-m", "retree_core.cli", "ui", "--headless", "--port"]
README = [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py"), "--server.headless=true", "--server.port"]

pytestmark = pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="sockets are listed under /proc on Linux")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def served(words: list[str], folder: Path) -> tuple[subprocess.Popen[bytes], int]:
    """The app started in a folder by a command without its port."""
    port = free_port()
    env = {name: value for name, value in os.environ.items() if not name.startswith(("STREAMLIT_", "RETREE_"))}
    env["PYTHONPATH"] = str(ROOT)
    process = subprocess.Popen(
        [*words, str(port)], cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    for _ in range(300):
        try:
            if asked(port, "GET", "/_stcore/health").status == 200:
                break
        except OSError:
            time.sleep(0.1)
    return process, port


def asked(port: int, method: str, path: str, **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("localhost", port, timeout=30)
    connection.putrequest(method, path, skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name.replace("_", "-"), value)
    connection.endheaders()
    return connection.getresponse()


def listening(process: subprocess.Popen[bytes]) -> list[tuple[str, int]]:
    """Address and port of every socket on which a process waits for connections."""
    own = set()
    for one in Path(f"/proc/{process.pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed since it was listed
            own.add(os.readlink(one).removeprefix("socket:[").removesuffix("]"))
    found = []
    for table in ("tcp", "tcp6"):
        for row in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = row.split()
            if fields[3] == "0A" and fields[9] in own:
                address, _, port = fields[1].partition(":")
                found.append((address, int(port, 16)))
    return found


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """The app as `retree ui` serves it."""
    process, port = served(UI, tmp_path_factory.mktemp("elsewhere"))
    yield process, port
    process.terminate()
    process.wait(20)


def test_retree_ui_listens_on_this_machine_alone(app: tuple[subprocess.Popen[bytes], int]) -> None:
    process, port = app
    found = listening(process)
    assert port in {one for _, one in found}
    assert {address for address, _ in found} <= LOOPBACK


@pytest.mark.parametrize("inside", [True, False])
def test_streamlit_run_does_too_wherever_it_is_started(tmp_path: Path, inside: bool) -> None:
    process, port = served(README, ROOT if inside else tmp_path)
    try:
        found = listening(process)
    finally:
        process.terminate()
        process.wait(20)
    assert port in {one for _, one in found}
    assert {address for address, _ in found} <= LOOPBACK


def test_a_page_of_another_site_cannot_open_a_session(app: tuple[subprocess.Popen[bytes], int]) -> None:
    _, port = app
    handshake = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec_WebSocket_Version": "13",
        "Sec_WebSocket_Key": base64.b64encode(b"0" * 16).decode(),
    }
    own, foreign = (
        asked(port, "GET", "/_stcore/stream", **handshake, Origin=origin).status
        for origin in (f"http://localhost:{port}", "http://attacker.example")
    )
    assert (own, foreign) == (101, 403)


def test_a_page_of_another_site_can_neither_read_nor_upload(app: tuple[subprocess.Popen[bytes], int]) -> None:
    _, port = app
    read = asked(port, "GET", "/_stcore/health", Origin="http://attacker.example")
    assert read.getheader("Access-Control-Allow-Origin") is None
    sent = asked(port, "PUT", "/_stcore/upload_file/a/b", Origin="http://attacker.example", Content_Length="0")
    assert sent.status == 403


@pytest.mark.parametrize(
    "path",
    [
        "/app/static/app.py",
        "/app/static/../app.py",
        "/static/../../../../../../../../etc/passwd",
        "/..%2f..%2f..%2f..%2f..%2f..%2f..%2fetc%2fpasswd",
        "//etc/passwd",
        "/media/../../../../../../etc/passwd",
        "/media/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
        "/component/x/../../../../../etc/passwd",
        "/_stcore/bidi-components/x/../../../../../etc/passwd",
        "/sample_runs/corpus.jsonl",
        "/pyproject.toml",
    ],
)
def test_no_file_is_served_by_its_path(app: tuple[subprocess.Popen[bytes], int], path: str) -> None:
    _, port = app
    body = asked(port, "GET", path).read()
    for secret in (b"root:", b"[build-system]", b"from retree_viz", b'"title"'):
        assert secret not in body
