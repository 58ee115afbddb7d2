"""The whole app without a browser: opened at an address, and what its components were given."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

APP = str(Path(__file__).parents[1] / "app.py")


def opened(**query: str) -> AppTest:
    """The page at an address."""
    app = AppTest.from_file(APP, default_timeout=30)
    for name, value in query.items():
        app.query_params[name] = value
    return app.run()


def components(app: AppTest) -> list[dict[str, Any]]:
    """The data of every component on the page."""
    assert not app.exception, app.exception
    every = (one.proto.json or one.proto.bytes for one in app.get("bidi_component"))
    return [json.loads(one) for one in every if one]


def markup(app: AppTest) -> str:
    """The markup of all of them."""
    return "\n".join(one["html"] for one in components(app) if "html" in one)
