"""How the engine of now is meant to differ from release 0.1; whatever else differs is a mistake.

Each difference is a function over what an engine told of a world, put on both sides before they are compared. Its
docstring says what differs and why. The list is reviewed, and short.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Told = dict[str, Any]

INTENDED: tuple[Callable[[Told], Told], ...] = ()
