"""`retree schema`: the JSON Schema of a structured call, or of the trace format."""

from __future__ import annotations

import argparse

from retree_core.errors import UsageError
from retree_core.terminal import json_text

TRACE = "trace"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("role", metavar="ROLE", nargs="?", help="a call's name, or `trace`; without it, the names")


def run(args: argparse.Namespace) -> int:
    from retree_core.replies import REPLIES, schema

    if args.role is None:
        print("\n".join([*REPLIES, TRACE]))
    elif args.role == TRACE:
        from retree_core.trace.schema import shipped

        print(shipped().rstrip("\n"))
    elif args.role in REPLIES:
        print(json_text(schema(REPLIES[args.role])))
    else:
        raise UsageError(f"no call is named {args.role!r}; choose {', '.join(REPLIES)} or {TRACE}")
    return 0
