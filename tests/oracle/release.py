"""Release 0.1, built from its commit and installed by itself, in a folder that is kept between test runs."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

COMMIT = "a4f8136"
REPOSITORY = Path(__file__).parents[2]


class NotThere(Exception):
    """Release 0.1 cannot be built here; the message says why."""


def release() -> Path:
    """A folder with the installed package (`site`) and all of its repository (`source`). Raises NotThere."""
    kept = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "retree" / f"oracle-{COMMIT}"
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=kept.parent) as draft:
            built = Path(draft) / "built"
            _build(built)
            if not kept.exists():
                built.rename(kept)
    return kept


def _build(folder: Path) -> None:
    source = folder / "source"
    packed = _output("git", "-C", str(REPOSITORY), "archive", COMMIT)
    with tarfile.open(fileobj=BytesIO(packed)) as archive:
        archive.extractall(source, filter="data")
    pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
    _output(*pip, "wheel", "--no-deps", "--wheel-dir", str(folder), str(source))
    (wheel,) = folder.glob("*.whl")
    _output(*pip, "install", "--no-deps", "--target", str(folder / "site"), str(wheel))


def _output(*command: str) -> bytes:
    try:
        return subprocess.run(command, check=True, capture_output=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        said = getattr(error, "stderr", b"") or b""
        why = said.decode(errors="replace").strip().splitlines()[-1:] or [str(error)]
        raise NotThere(f"release 0.1 ({COMMIT}) cannot be built: {why[0]}") from None
