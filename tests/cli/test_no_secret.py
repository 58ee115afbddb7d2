"""Keys are planted wherever this program takes or meets one; then everything runs, and none is anywhere (T22)."""

from __future__ import annotations

import json
import logging
import zlib
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from cli.world import PASSAGES, QUESTION, World
from streamlit.testing.v1 import AppTest
from stubs import Response, StubServer, completion

from retree_core.cli import main
from retree_core.trace import read_trace
from retree_viz import lives
from retree_viz.export import FORMATS, missing

ROOT = Path(__file__).parents[2]
PLANTED = "PLANTED"
"""Part of every key below, and of nothing else."""
MODEL, JUDGE, SERPER, GOOGLE, PASSWORD, SEARCHING = (
    f"{PLANTED}/{name}+7f3a9c1e5b2d" for name in ("model", "judge", "serper", "google", "password", "searching")
)
KEYS = {
    "RETREE_API_KEY": MODEL,
    "RETREE_JUDGE_API_KEY": JUDGE,
    "SERPER_API_KEY": SERPER,
    "GOOGLE_API_KEY": GOOGLE,
    "GOOGLE_CSE_ID": "cse",
}
BASIC, BASIC_SEARCHING = (b64encode(f"me:{one}".encode()).decode() for one in (PASSWORD, SEARCHING))
"""The passwords as they are sent."""
ALONE = b64encode(PLANTED.encode()).decode()[:9]
"""How each key begins in Base64."""
OWN = (MODEL, JUDGE, SERPER, GOOGLE, PASSWORD, SEARCHING)
SPELLED = [
    *(rf"\n{one}" for one in (MODEL, BASIC, BASIC_SEARCHING)),
    *(f"Bearer%20{quote(quote(one, safe=''), safe='').lower().replace(PLANTED.lower(), PLANTED)}" for one in OWN),
    *(one.replace("/", "\\/") for one in OWN),
    *(rf"\u0022{one}\u0022".replace("/", r"\u002F").replace("+", r"\u002b") for one in OWN),
    *(b64encode(one.encode()).decode() for one in OWN),
]
"""As they stand in JSON inside JSON, in addresses inside addresses, and in headers."""
EVERY = " ".join([BASIC, BASIC_SEARCHING, *OWN, *SPELLED])
LEAK = f"x {EVERY} Authorization: Bearer {MODEL} http://a:{PASSWORD}@h/?key={GOOGLE}&cx=1 {{'x-api-key': '{SERPER}'}}"
"""What a careless server says."""
LOCATION = f"http://me:{PASSWORD}@127.0.0.1:9/v1?key={GOOGLE}"
FAILURES = {
    "401": Response(status=401, json={"error": {"message": f"Incorrect API key provided: {LEAK}", "code": LEAK}}),
    "400": Response(status=400, json={"object": "error", "message": LEAK, "type": LEAK, "code": 400}),
    "403 text": Response(status=403, body=LEAK),
    "redirect": Response(status=307, headers={"Location": LOCATION, "Set-Cookie": f"a={MODEL}"}, body=LEAK),
    "html": Response(status=200, body=f"<html>{LEAK}</html>", headers={"Content-Type": "text/html"}),
    "not json": Response(status=200, body=LEAK),
    "error in 200": Response(status=200, json={"error": {"message": LEAK}}),
    "header": Response(status=400, json={"message": "no"}, headers={"X-Api-Key": MODEL, "Server": LEAK}),
    "reset": Response(reset=True),
    "status line": Response(head=f"HTTP/1.1 401 \n{MODEL}\n{SEARCHING}\r\n\r\n".encode()),
    "header line": Response(head=f"HTTP/1.1 200 OK\r\n{'x' * 60} {MODEL} {SEARCHING}{'y' * 9000}\r\n\r\n".encode()),
    "at a cut": Response(status=400, body=f"x{' ' * 5977}{MODEL} {SEARCHING}"),
    "a field twice": Response(body="{" + f'"{"x" * 45} {MODEL} {SEARCHING}": 1, ' * 2 + '"a": 1}'),
}


SAID = ("reason", "answer", "summary")


class Careless(World):
    """The world's model, which says in every reply all that it was sent and knows."""

    def __call__(self, body: Any) -> Any:
        said = getattr(self, str(body["response_format"]["json_schema"]["name"]).removeprefix("retree_"))(
            str(body["messages"][-1]["content"])
        )
        said = {name: f"{one} {LEAK}\n{MODEL}\t{PASSWORD}" if isinstance(one, str) and name in SAID else one
                for name, one in said.items()}  # fmt: skip
        raw = completion(json.dumps(said), reasoning_content=LEAK, model=f"m {MODEL}")
        return Response(json={**raw, "request": {"headers": {"authorization": f"Bearer {MODEL}"}}}, headers={"X": LEAK})

    def judge(self, text: str) -> dict[str, Any]:
        return {"reason": LEAK, "grade": "CORRECT"}

    def entail(self, text: str) -> dict[str, Any]:
        return {"reason": LEAK, "entailed": True}


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """Every key is set, and all is logged."""
    for name, key in KEYS.items():
        monkeypatch.setenv(name, key)
    caplog.set_level(logging.DEBUG)


@pytest.fixture
def search() -> Iterator[str]:
    """A search that needs a password and finds keys."""
    pages = [
        {"title": one["title"], "content": f"{one['text']} {LEAK}", "url": f"https://e.org/{number}?key={GOOGLE}"}
        for number, one in enumerate([*PASSAGES, {"title": LEAK, "text": LEAK}])
    ]
    with StubServer(Response(json={"results": pages, "answers": [LEAK]}, headers={"X": LEAK})) as server:
        yield f"searxng:{with_password(server.url, SEARCHING)}"


def with_password(url: str, password: str) -> str:
    return url.replace("http://", f"http://me:{quote(password, safe='')}@")


def content(path: Path) -> bytes:
    """Of a trace that is gzipped, what it says."""
    return zlib.decompressobj(wbits=31).decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def told(folder: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> dict[str, str]:
    """Everything that was written or said so far, by where it stands."""
    said = capsys.readouterr()
    found = {str(one.relative_to(folder)): content(one).decode("latin-1") for one in folder.rglob("*") if one.is_file()}
    logged = "\n".join([one.getMessage() + str(one.exc_text) for one in caplog.records])
    return {**found, "stdout": said.out, "stderr": said.err, "log": logged}


def leaks(found: dict[str, str]) -> list[str]:
    """Where a key stands, with what is around it."""
    return [
        f"{where}: {text[max(0, at - 60) : at + 60]!r}"
        for where, text in found.items()
        for key in (PLANTED, ALONE, BASIC, BASIC_SEARCHING)
        if (at := text.find(key)) >= 0
    ]


def run(words: list[str], server: str, out: Path) -> int:
    return main(["run", QUESTION, *words, "--base-url", with_password(server, PASSWORD), "--out", str(out)])


def test_a_run_and_all_that_is_made_of_it_hold_no_key(search, tmp_path, capsys, caplog, monkeypatch):
    out = tmp_path / "run.jsonl"
    with Careless().server() as server:
        base = with_password(server.base_url, PASSWORD)
        run(["--search", search], server.base_url, out)
        assert len(read_trace(out).calls) > 5
        assert {one.headers["authorization"] for one in server.seen} == {f"Basic {BASIC}"}
        main(["fork", str(out), "--set", "query=more", "--at", _search(out), "--live", "--base-url", base,
              "--search", search, "--out", str(tmp_path / "fork.jsonl")])  # fmt: skip
    for words in (["show"], ["why"], ["verify"], ["notes"]):
        main([*words, str(out)])
    main(["diff", str(out), str(tmp_path / "fork.jsonl")])
    for name in (one for one in FORMATS if not missing(one)):
        assert main(["export", str(out), "--to", name, "--out", str(tmp_path / f"export.{name}")]) == 0
    found = told(tmp_path, capsys, caplog)
    assert len(found) >= 8 + len([one for one in FORMATS if not missing(one)]) - 3
    assert "[redacted]" in found["run.jsonl"]
    assert "HTTP Request" in found["log"]
    assert leaks(found) == []


def _search(trace: Path) -> str:
    """The event of the first search."""
    return str(next(at for at, one in enumerate(read_trace(trace).events, 1) if one.kind == "search_chosen"))


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("when", ["preflight", "call"])
def test_a_failed_run_says_why_without_a_key(failure, when, tmp_path, capsys, caplog, search, monkeypatch):
    monkeypatch.setenv("RETREE_TIMEOUT_S", "1.5")
    out = tmp_path / "run.jsonl"

    def answer(seen: Any) -> Response:
        models = Response(json={"data": [{"id": "Qwen/Qwen3-8B", "owned_by": LEAK}]}, headers={"Server": LEAK})
        return models if seen.path == "/v1/models" and when == "call" else FAILURES[failure]

    with StubServer(answer) as server:
        code = run(["--search", search], f"{server.url}/v1", out)
        assert code in (0, 1)
        if out.exists():
            main(["run", "--resume", str(out), "--base-url", with_password(f"{server.url}/v1", PASSWORD)])
    assert leaks(told(tmp_path, capsys, caplog)) == []


@pytest.mark.parametrize("failure", FAILURES)
def test_a_failed_search_says_why_without_a_key(failure, tmp_path, capsys, caplog, monkeypatch):
    monkeypatch.setenv("RETREE_TIMEOUT_S", "1.5")
    with Careless().server() as server, StubServer(FAILURES[failure]) as failing:
        words = ["--search", f"searxng:{with_password(failing.url, SEARCHING)}", "--max-searches", "1"]
        run(words, server.base_url, tmp_path / "run.jsonl")
    assert leaks(told(tmp_path, capsys, caplog)) == []


@pytest.mark.parametrize(
    "words",
    [
        ["run", "q", "--search", "serper", "--base-url", f"ftp://me:{PASSWORD}@h"],
        ["run", "q", "--search", "serper", "--base-url", f"http://h/v1?key={GOOGLE}"],
        ["run", "q", "--search", f"searxng:ftp://me:{SEARCHING}@h"],
        ["run", "q", "--search", f"nowhere:http://me:{SEARCHING}@h"],
        ["run", f"what is {MODEL}?", "--search", "serper", "--base-url", "http://127.0.0.1:9/v1"],
        ["show", f"{MODEL}.jsonl"],
        ["run", "q", "--unknown", MODEL],
    ],
)
def test_wrong_usage_is_said_without_a_key(words, tmp_path, capsys, caplog):
    assert main(words) in (1, 2)
    assert leaks(told(tmp_path, capsys, caplog)) == []


def test_results_reports_and_kept_replies_hold_no_key(search, tmp_path, capsys, caplog):
    pair = {
        "id": "a",
        "old": "The capital of Velmora is Alderton.",
        "new": f"The capital of Velmora is Brellin. {LEAK}",
    }
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "pairs.jsonl").write_text(json.dumps({**pair, "question": f"Capital? {LEAK}"}) + "\n")
    question = {"id": "q1", "question": QUESTION, "answers": ["Mira Oss"]}
    (tmp_path / "in" / "questions.jsonl").write_text(json.dumps(question) + "\n")
    out = tmp_path / "out"
    out.mkdir()
    with Careless().server() as server:
        base = with_password(server.base_url, PASSWORD)
        main(["judge", str(tmp_path / "in" / "pairs.jsonl"), "--base-url", base, "--replies", str(out / "kept.jsonl")])
        assert (out / "kept.jsonl").stat().st_size
        main(["eval", "--dataset", f"jsonl:{tmp_path / 'in' / 'questions.jsonl'}", "--agents", "retree,react",
              "--search", search, "--base-url", base, "--out", str(out / "results")])  # fmt: skip
        main(["report", str(out / "results"), "--judge-model", "Qwen/Qwen3-8B", "--judge-url", base])
    found = told(out, capsys, caplog)
    assert {"kept.jsonl", "results/eval.json", "results/report.html", "results/judged.jsonl"} <= found.keys()
    assert leaks(found) == []


def shown(app: AppTest) -> str:
    """All that a page holds, as it is sent to the browser."""
    assert not app.exception, app.exception
    return "\n".join(str(one.proto) for one in parts(app._tree)) + str(app.query_params)


def parts(block: Any) -> Iterator[Any]:
    """Every element of a page, dialogs included."""
    for one in block.children.values():
        yield one
        if hasattr(one, "children"):
            yield from parts(one)


def test_no_page_shows_a_key(search, tmp_path, monkeypatch, capsys, caplog):
    monkeypatch.setenv("RETREE_RUNS", str(tmp_path / "own"))
    out = tmp_path / "own" / "run.jsonl"
    with Careless().server() as server:
        run(["--search", search], server.base_url, out)
        monkeypatch.setenv("RETREE_BASE_URL", with_password(server.base_url, PASSWORD))
        monkeypatch.setenv("RETREE_SEARCH", search)
        foreign = out.read_text().replace("[redacted]", MODEL)  # by a program that does not redact
        (tmp_path / "own" / "foreign.jsonl").write_text(foreign)
        pages = []
        for name in ("run", "foreign"):
            for tab in ("why", "calls", "context", "changes", "node"):
                pages.append(page(run=f"runs/{name}.jsonl", tab=tab, call="1"))
            for dialog in ("again", "call_json", "export", "note", "fork"):
                pages.append(page(run=f"runs/{name}.jsonl", call="1", dialog=dialog))
        pages += [page(), page(page="ask"), page(run="runs/run.jsonl", against="runs/foreign.jsonl")]
        again = page(run="runs/run.jsonl", call="1", dialog="again")
        (tmp_path / "own" / "run.notes.json").write_text("no notes")  # so that the reply is shown without being kept
        again.button(key="again_run").click().run()
        for _ in range(100):
            if not again.exception and "Re-run, not kept" in shown(again.run()):
                break
        pages.append(again)
    assert "Re-run, not kept" in shown(again)
    assert [found for one in pages if (found := leaks({str(one.query_params): shown(one)}))] == []
    assert leaks(told(tmp_path / "own", capsys, caplog) | {"foreign.jsonl": ""}) == []
    assert lives.default_search().startswith("searxng:http://[redacted]@")


def page(dialog: str = "", **query: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    if dialog:
        app.session_state["place"] = replace(app.session_state["place"], dialog=dialog)
        app.run()
    return app
