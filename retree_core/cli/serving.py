"""`python -m retree_core.cli.serving`: Streamlit's own command, which the end of its terminal stops as SIGTERM does.

Streamlit leaves SIGHUP alone, so that it would end the process at once, with no last record in the runs being made.
"""

from __future__ import annotations

import runpy
import signal


def end_with_the_terminal() -> None:
    """From now on SIGHUP is SIGTERM, unless it is to be outlived (`nohup`) or is not known here."""
    hangup = getattr(signal, "SIGHUP", None)
    if hangup and signal.getsignal(hangup) is not signal.SIG_IGN:
        signal.signal(hangup, lambda *_: signal.raise_signal(signal.SIGTERM))


if __name__ == "__main__":
    end_with_the_terminal()
    runpy.run_module("streamlit", run_name="__main__")
