"""The paper's grid by the very commands of the README, on small files in the published formats and stub servers."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from cli.world import FACTS, PASSAGES
from evaluation.folders import AGENTS, EvalWorld
from stubs import ChatServer, Response, StubServer
from stubs.server import Seen

from retree_core.cli import main
from retree_core.verify import verify

README = Path(__file__).parents[2] / "README.md"
SETS = ("bamboogle", "hotpotqa", "2wiki", "frames")
"""In the paper's order."""
QUESTIONS = 3
"""Of each data set; the second has another gold answer."""


def asked(number: int) -> str:
    return f"Who is the mayor of the capital of Velmora ({number})?"


def gold(number: int) -> str:
    return "Zed Quill" if number == 2 else "Mira Oss"


def put_data_sets(folder: Path) -> None:
    """The four files, under the names that the README gives them."""
    numbers = range(1, QUESTIONS + 1)
    context = [[one["title"], [one["text"]]] for one in PASSAGES]
    hops = [
        {"_id": f"5a{n}", "question": asked(n), "answer": gold(n), "type": "bridge", "context": context}
        for n in numbers
    ]
    (folder / "hotpot_dev_distractor_v1.json").write_text(json.dumps(hops))
    (folder / "dev.json").write_text(json.dumps([{**one, "_id": f"w{one['_id']}", "evidences": []} for one in hops]))
    (folder / "bamboogle.csv").write_text("Question,Answer\n" + "".join(f"{asked(n)},{gold(n)}\n" for n in numbers))
    rows = "".join(f"{n - 1}\t{asked(n)}\t{gold(n)}\tNumerical reasoning\n" for n in numbers)
    (folder / "test.tsv").write_text("\tPrompt\tAnswer\treasoning_types\n" + rows)


class PaperWorld(EvalWorld):
    """The world as the paper's judge is asked in it."""

    def confirm(self, text: str) -> dict[str, Any]:
        return {"reason": "the court ruled later", "apply": True}


def web(seen: Seen) -> Response:
    """A search engine that finds the page that the query is about."""
    words = set(re.findall(r"\w+", parse_qs(urlsplit(seen.path).query)["q"][0]))
    pages = sorted(PASSAGES, key=lambda one: -len(words & set(re.findall(r"\w+", one["text"]))))[:1]
    found = [
        {"title": one["title"], "content": one["text"], "url": f"https://example.org/{n}"}
        for n, one in enumerate(pages)
    ]
    return Response(json={"query": "", "results": found, "unresponsive_engines": []})


@pytest.fixture(scope="module")
def grid(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The results folder of the README's two commands, made by them."""
    folder = tmp_path_factory.mktemp("paper")
    put_data_sets(folder)
    servers = (ChatServer(PaperWorld()), ChatServer(PaperWorld()), ChatServer(PaperWorld(), models=("gpt-5",)))
    with servers[0], servers[1], servers[2], StubServer(web) as engine, pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name in ("RETREE_MODEL", "RETREE_BASE_URL", "RETREE_JUDGE_URL"):
            patch.delenv(name, raising=False)
        evaluate, report = commands()
        assert main(with_stubs(evaluate, {"google": f"searxng:{engine.url}"}, servers[0], servers[1])) == 0
        assert main(with_stubs(report, {}, servers[2])) == 0
        assert all(one.calls for one in servers), "both model servers and the judge were asked"
        yield folder / "grid"


def commands() -> tuple[list[str], list[str]]:
    """The words of the README's `retree eval` over several data sets and of the report on it."""
    text = README.read_text(encoding="utf-8").replace("\\\n", " ")
    (evaluate,) = re.findall(r"^retree (eval .*--limit paper.*)$", text, re.M)
    (report,) = re.findall(r"^retree (report .*--judge-model.*)$", text, re.M)
    return shlex.split(evaluate), shlex.split(report)


def with_stubs(words: list[str], instead: dict[str, str], *servers: ChatServer) -> list[str]:
    """The same words with stub servers where they name servers."""
    urls = ",".join(one.base_url for one in servers)
    named = [one for one in words if one.startswith("http")]
    assert [len(one.split(",")) for one in named] == [len(servers)]
    return [urls if one in named else instead.get(one, one) for one in words]


def told(grid: Path) -> dict[str, Any]:
    lines = csv.DictReader(io.StringIO((grid / "report.csv").read_text()))
    return {f"{one['data set']} {one['agent']} {one['measure']}": one["value"] for one in lines}


def test_each_data_set_and_agent_has_its_runs_and_each_replays(grid):
    traces = sorted(grid.glob("*/runs/*/*.jsonl.gz"))
    assert len(traces) == len(SETS) * len(AGENTS) * QUESTIONS
    assert {(one.parts[-4], one.parts[-2]) for one in traces} == {(each, agent) for each in SETS for agent in AGENTS}
    assert {verify(one).status for one in traces[::7]} == {"ok"}


def test_the_report_holds_every_data_set_and_all_of_them_pooled(grid):
    found = told(grid)
    for each in (*SETS, "overall"):
        for agent in AGENTS:
            assert found[f"{each} {agent} runs"] == str(QUESTIONS * (len(SETS) if each == "overall" else 1))
            assert float(found[f"{each} {agent} exact match"]) == pytest.approx(2 / 3)
            assert float(found[f"{each} {agent} judge accuracy"]) == pytest.approx(2 / 3)
            backtracked = "1.0" if agent == "retree" else ""
            assert found[f"{each} {agent} natural backtrack"] == backtracked
        assert (found[f"{each} retree CiteRec"], found[f"{each} retree Uncited"]) == ("1.0", "0.0")
    assert FACTS[3] in (grid / "hotpotqa/results.jsonl").read_text()


def test_the_report_is_there_in_every_format(grid):
    for name in ("report.md", "report.html", "report.csv"):
        assert (grid / name).stat().st_size > 1000
    text = (grid / "report.md").read_text()
    assert "Table 1" in text
    assert "Table 2" in text
    assert "Figure 3" in text
    assert "13.9 pp overall" in text
    titles = re.findall(r"^## (.*)$", text, re.M)
    assert titles[:5] == ["All runs", *(f"Runs in grid/{each}" for each in SETS)]
