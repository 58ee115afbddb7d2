"""How sure a number is, and a difference between two agents on the same questions. Seeded: reports can be repeated."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

RESAMPLES = 2000
FLIPS = 10_000
LEVEL = 0.95

Interval = tuple[float, float]


def interval(parts: Sequence[float], wholes: Sequence[float] | None = None, *, seed: int = 0) -> Interval | None:
    """Percentile bootstrap interval of sum(parts) / sum(wholes) over questions; of the mean where wholes are left out.

    Each question brings one part and one whole. None below two questions, or where there is nothing to divide by.
    """
    import numpy

    count = len(parts)
    if count < 2 or (wholes is not None and not sum(wholes)):
        return None
    drawn = _drawn(count, seed)
    sums = drawn @ numpy.asarray(parts, float)
    divisors = numpy.full(len(drawn), float(count)) if wholes is None else drawn @ numpy.asarray(wholes, float)
    ratios = sums[divisors > 0] / divisors[divisors > 0]
    low, high = numpy.quantile(ratios, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


@lru_cache(maxsize=8)
def _drawn(count: int, seed: int) -> Any:
    """How often each of `count` questions is drawn in each resample; drawing takes longer than all that follows."""
    import numpy

    return numpy.random.default_rng(seed).multinomial(count, [1 / count] * count, size=RESAMPLES).astype(numpy.uint16)


def mcnemar(only_one: int, only_other: int) -> float:
    """Exact two-sided p of McNemar's test, from the questions that only one or only the other agent got right.

    >>> mcnemar(0, 0), mcnemar(0, 5), round(mcnemar(2, 9), 4)
    (1.0, 0.0625, 0.0654)
    """
    count = only_one + only_other
    tail = sum(math.comb(count, k) for k in range(min(only_one, only_other) + 1))
    return min(1.0, float(2 * tail / 2**count))


def sign_flips(differences: Sequence[float], *, seed: int = 0) -> float | None:
    """Two-sided p that the mean of paired differences is 0, by flipping their signs at random; None without any.

    >>> sign_flips([0.0, 0.0])
    1.0
    """
    import numpy

    if not differences:
        return None
    values = numpy.asarray(differences, float)
    signs = numpy.random.default_rng(seed).integers(0, 2, (FLIPS, len(values)), numpy.int8) * 2 - 1
    as_far = numpy.abs(signs @ values) >= abs(values.sum()) * (1 - 1e-9)
    return float((as_far.sum() + 1) / (FLIPS + 1))
