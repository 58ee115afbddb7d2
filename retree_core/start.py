"""The `retree` command from its first moment on: Ctrl-C ends it in one line while its modules are still being read."""

import sys


def main() -> int:
    """As `retree_core.cli.main`."""
    try:
        from retree_core.cli import main as command

        return command()
    except KeyboardInterrupt:
        print("retree: stopped", file=sys.stderr)
        return 1
