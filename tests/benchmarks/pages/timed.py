"""Streamlit with a line in a file for every run of a script: its processor time in ms. `timed.py LOG run SCRIPT ...`"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.web.cli import main

LOG = Path(sys.argv.pop(1))
run_script = ScriptRunner._run_script


def timed(self: ScriptRunner, *args: Any) -> None:
    began = time.process_time()
    try:
        run_script(self, *args)
    finally:
        with LOG.open("a") as log:
            log.write(f"{1000 * (time.process_time() - began):.1f}\n")


ScriptRunner._run_script = timed  # type: ignore[method-assign]
main()
