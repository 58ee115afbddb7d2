"""The whole decision on pairs written without sight of the guards, with the recorded replies of a real small model.

The replies are those of Qwen2.5-Coder-1.5B-Instruct Q4_K_M on llama.cpp. A changed prompt needs new ones:
`retree judge tests/judging/pairs_blind.jsonl --replies FILE` with that model, and FILE packed here.
"""

import gzip
import json
from pathlib import Path

from retree_core.cli import main

HERE = Path(__file__).parent
MEASURED = 84
"""Pairs of the file that the replies cover, from its beginning."""


def test_the_guarded_judge_is_as_good_as_it_was(tmp_path, capsys):
    pairs, replies = tmp_path / "pairs.jsonl", tmp_path / "replies.jsonl"
    lines = (HERE / "pairs_blind.jsonl").read_text("utf-8").splitlines(keepends=True)
    pairs.write_text("".join(lines[:MEASURED]), "utf-8")
    replies.write_bytes(gzip.decompress((HERE / "replies_blind.jsonl.gz").read_bytes()))
    model = "qwen2.5-coder-1.5b-instruct-q4_k_m"
    assert main(["judge", str(pairs), "--replies", str(replies), "--offline", "--model", model, "--json"]) == 0
    overall = json.loads(capsys.readouterr().out)["overall"]
    assert overall["pairs"] == MEASURED
    assert overall["precision"] >= 0.9
    assert overall["recall"] >= 0.83
