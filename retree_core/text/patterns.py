"""Regular expressions that are compiled when they are first looked for.

The long ones, of units, months and numerals, take milliseconds each, and most commands never look for them.
"""

import re
from functools import cache


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern, ready to be looked for.

    >>> compiled(r"\\d+") is compiled(r"\\d+")
    True
    """
    return re.compile(pattern)
