"""JSON for components that read bytes: Streamlit passes those on, and writes anything else twice at every run."""

from __future__ import annotations

import json
from typing import Any

import orjson


def packed(data: Any) -> bytes:
    r"""The data as JSON.

    >>> packed({"a": [1]}), packed("\ud800")
    (b'{"a":[1]}', b'"\\ud800"')
    """
    try:
        return orjson.dumps(data)
    except TypeError:  # half a character, which only escapes can write
        return json.dumps(data).encode()
