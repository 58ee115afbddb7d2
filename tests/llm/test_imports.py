"""Replay must not load an HTTP library: reading envelopes and redacting are pure."""

from __future__ import annotations

import subprocess
import sys


def test_pure_modules_import_no_http_library() -> None:
    code = (
        "import sys, retree_core.llm.envelope, retree_core.secrets, retree_core.search.backend;"
        "print([m for m in ('aiohttp', 'httpx', 'pydantic') if m in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"
