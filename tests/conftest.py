"""How the tests are named and spread over processes."""

from __future__ import annotations

from pathlib import Path

import pytest

LONGEST = 100
"""Of a value in the name of a test."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """None where files or tests are asked for by name: they are done before a process more has started."""
    return 0 if all(Path(one.split("::")[0]).is_file() for one in config.args) else None


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Long values and packed ones, which hold the time of day, are not written out: processes agree on every name."""
    if isinstance(val, bytes | str) and (len(val) > LONGEST or val[:2] == b"\x1f\x8b"):
        return f"{argname}-of-{len(val)}"
    return None
