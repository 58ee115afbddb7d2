"""The golden outputs: records them anew, or prints some of them.

`python tests/golden/record.py` writes hashes.txt; look at what git says has changed. With words, it prints every output
whose name begins with them: `python tests/golden/record.py scripted-repair-north-pole why --event 31`.
"""

from __future__ import annotations

import sys
from hashlib import sha256
from pathlib import Path

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2])]

from golden.outputs import Named, outputs, surroundings

HASHES = Path(__file__).with_name("hashes.txt")


def made(items: Named) -> dict[str, str]:
    """The name of every output with the hash of what it is now."""
    with surroundings():
        return {name: hashed(output()) for name, output in items}


def hashed(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:10]


def recorded() -> dict[str, str]:
    """The same as it was recorded."""
    lines = (line.rpartition(" ") for line in HASHES.read_text(encoding="utf-8").splitlines())
    return {name: value for name, _, value in lines}


def show(name: str) -> int:
    """Prints the output of a name, else those whose names begin with it."""
    found = 0
    with surroundings():
        every = list(outputs())
        for one, output in [each for each in every if each[0] == name] or every:
            if one.startswith(name):
                found += 1
                print(f"--- {one}\n{output()}")
    return 0 if found else 1


def main(words: list[str]) -> int:
    if words:
        return show(" ".join(words))
    HASHES.write_text("".join(f"{name} {value}\n" for name, value in made(outputs()).items()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
