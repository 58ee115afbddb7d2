"""What visitors of the app may search: nothing but what its owner has set."""

import json
from pathlib import Path

import pytest

from retree_core.errors import UsageError
from retree_core.run_folders import sample_spec, samples_folder
from retree_core.visitors import search_allowed, search_by_default

RECORD = json.dumps({"title": "a", "text": "b"}) + "\n"


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """`runs` and `library` are given to the app; `private` is not, and links from inside lead there."""
    for name in ("runs", "runs/mixed", "library", "private"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "pages.jsonl").write_text(RECORD)
    (tmp_path / "runs" / "out.jsonl").symlink_to(tmp_path / "private" / "pages.jsonl")
    (tmp_path / "runs" / "out").symlink_to(tmp_path / "private")
    (tmp_path / "runs" / "mixed" / "out.jsonl").symlink_to(tmp_path / "private" / "pages.jsonl")
    (tmp_path / "runs" / "loop").symlink_to(tmp_path / "runs" / "loop")
    return tmp_path


def environ(world: Path, search: str = "", **more: str) -> dict[str, str]:
    return {"RETREE_RUNS": str(world / "runs"), "RETREE_SEARCH": search, **more}


@pytest.mark.parametrize("spec", ["google", "serper", f"corpus:{samples_folder()}/corpus.jsonl", " serper "])
def test_samples_and_services_with_one_address_are_allowed(world: Path, spec: str) -> None:
    assert search_allowed(spec, environ(world)) == spec.strip()


@pytest.mark.parametrize("inside", ["runs/pages.jsonl", "runs/../runs/pages.jsonl", "library", "library/pages.jsonl"])
def test_a_corpus_in_a_folder_of_the_app_is_allowed(world: Path, inside: str) -> None:
    spec = f"corpus:{world / inside}"
    assert search_allowed(spec, environ(world, f"corpus:{world / 'library'}")) == spec


@pytest.mark.parametrize(
    "spec",
    [
        "searxng:http://169.254.169.254/latest",
        "searxng:http://localhost:30000",
        "corpus:/etc/passwd",
        "corpus:/",
        "corpus:/nowhere",
        "corpus:WORLD/private/pages.jsonl",
        "corpus:WORLD/runs/../private/pages.jsonl",
        "corpus:WORLD/runs/out.jsonl",
        "corpus:WORLD/runs/out",
        "corpus:WORLD/runs/out/pages.jsonl",
        "corpus:WORLD/runs/mixed",
        "corpus:WORLD/runs/loop",
        "corpus:WORLD",
        "corpus:~root/x.jsonl",
        "corpus:a\0b",
        "corpus:" + "x" * 5000,
        "corpus",
        "corpus:",
        "file:///etc/passwd",
        "CORPUS:WORLD/runs/pages.jsonl",
    ],
)
def test_any_other_file_or_address_is_not_unless_visitors_are_trusted(world: Path, spec: str) -> None:
    spec = spec.replace("WORLD", str(world))
    with pytest.raises(UsageError, match="not among those that this app may use") as refused:
        search_allowed(spec, environ(world))
    assert len(str(refused.value)) < 400
    for no in ("", "0", "true", "yes"):
        with pytest.raises(UsageError):
            search_allowed(spec, environ(world, RETREE_TRUST_VISITORS=no))
    assert search_allowed(spec, environ(world, RETREE_TRUST_VISITORS="1")) == spec


def test_what_the_owner_has_set_is_offered_without_its_password_and_opened_with_it(world: Path) -> None:
    own = "searxng:http://me:DUMMYKEY-1a2b3c4d5e6f@localhost:1"
    offered = search_by_default(environ(world, own))
    assert offered == "searxng:http://[redacted]@localhost:1"
    assert search_allowed(offered, environ(world, own)) == own
    with pytest.raises(UsageError) as refused:
        search_allowed(offered, environ(world, "searxng:http://me:other@localhost:2"))
    assert "DUMMYKEY" not in str(refused.value)
    assert search_by_default(environ(world)) == sample_spec()
