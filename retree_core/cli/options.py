"""Flags that several commands share, and what they become."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from typing import TypeVar, get_args

from retree_core.errors import UsageError
from retree_core.secrets import redact
from retree_core.settings import JudgeName, Sampling, Settings, SummaryCall

N = TypeVar("N", int, float)


def at_least(least: N, kind: Callable[[str], N]) -> Callable[[str], N]:
    """A number type for argparse, not below `least`."""

    def parse(text: str) -> N:
        try:
            value = kind(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"expected a number, got {text!r}") from None
        if not least <= value < float("inf"):
            raise argparse.ArgumentTypeError(f"expected {least} or more, got {text}")
        return value

    return parse


def model_arguments(parser: argparse.ArgumentParser) -> None:
    """Which model, where, and how it decodes."""
    default = Sampling()
    group = parser.add_argument_group("model")
    group.add_argument("--model", help="model name (RETREE_MODEL; default Qwen/Qwen3-8B)")
    group.add_argument("--base-url", metavar="URL", help="OpenAI-compatible server (RETREE_BASE_URL)")
    group.add_argument("--judge", choices=("guarded", "paper"), default="guarded", help="how conflicts are decided")
    group.add_argument("--temperature", type=at_least(0.0, float), default=default.temperature)
    group.add_argument("--top-p", type=at_least(0.0, float), default=default.top_p)
    group.add_argument("--top-k", type=at_least(-1, int), default=default.top_k)
    group.add_argument("--seed", type=at_least(0, int), default=default.seed)
    group.add_argument("--thinking", action="store_true", help="let the model think before it replies")


def summary_argument(parser: argparse.ArgumentParser, default: SummaryCall) -> None:
    """When the model is asked for the summary of a new node."""
    parser.add_argument(
        "--summary-call",
        choices=get_args(SummaryCall),
        default=default,
        help="the summary of a new node: after the conflict check (the paper's order), or beside it, which waits for "
        f"one call less and is discarded where a repair follows (default: {default})",
    )


def sampling(args: argparse.Namespace) -> Sampling:
    """The decoding parameters that the flags name."""
    return Sampling(
        temperature=args.temperature, top_p=args.top_p, top_k=args.top_k, seed=args.seed, thinking=args.thinking
    )


def model_name(args: argparse.Namespace) -> str:
    """--model, then RETREE_MODEL, then the default."""
    name = args.model if args.model is not None else os.environ.get("RETREE_MODEL") or Settings().model
    if not name.strip():
        raise UsageError("--model is empty; name a model that the server serves")
    return str(name)


def search_again(asked: str | None, recorded: str) -> str:
    """Where the rest of a recorded run searches: --search, else RETREE_SEARCH where the record holds just that without
    its password, else what is recorded."""
    own = os.environ.get("RETREE_SEARCH", "")
    return asked or (own if redact(own) == recorded else recorded)


def judge_settings(args: argparse.Namespace) -> Settings:
    """Settings of a command that only judges."""
    judge: JudgeName = args.judge
    return Settings(model=model_name(args), judge=judge, sampling=sampling(args))
