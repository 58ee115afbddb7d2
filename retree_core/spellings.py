"""How a server, a proxy or a library says a key back: as it is, or escaped for JSON, Python, HTML or an address."""

from __future__ import annotations

import re
from html import escape

LONG = 12
"""A key of so many characters stands in no text by chance; a shorter one counts only as a word of its own."""

AFTER_ESCAPE = r"(?<=\\[nrtbf])|(?<=\\u[0-9A-Fa-f]{4})|(?<=\\x[0-9A-Fa-f]{2})|(?<=%[0-9A-Fa-f]{2})"
"""Where a letter stands that belongs to no word, as the `n` of a line break in JSON: a word may begin there."""

_RUN = re.compile("[A-Za-z0-9]+")


def anchor(key: str) -> str:
    """The longest run of ASCII letters and digits of `key`, which stands in each of its spellings; '' if it has none.

    >>> anchor("Ab9/x+Yzz4=%q2")
    'Yzz4'
    """
    return max(_RUN.findall(key), key=len, default="")


def spellings(key: str) -> re.Pattern[str]:
    r"""What finds `key`, its signs plain or escaped, up to three times over.

    >>> [bool(spellings("ab9/c+d-e.fg").search(text)) for text in (r"\nab9\/c\u002bd-e.fg", "ab9%252fc%2Bd-e.fg")]
    [True, True]
    """
    bare = key.rstrip("=")
    whole = "".join(map(_sign, bare)) + f"{_sign('=')}?" * (len(key) - len(bare))  # Base64 is written without, too
    return re.compile(whole if len(key) >= LONG else rf"(?:(?<![A-Za-z0-9])|{AFTER_ESCAPE}){whole}(?![A-Za-z0-9])")


def _sign(sign: str) -> str:
    """Every spelling of one character; letters and digits have one."""
    if sign.isascii() and sign.isalnum():
        return sign
    plain = r"\\{1,8}" if sign == "\\" else rf"\\{{0,8}}{re.escape(sign)}"
    return f"(?:{'|'.join([plain, *_backslashed(sign), _percented(sign), *_named(sign)])})"


def _backslashed(sign: str) -> list[str]:
    units = sign.encode("utf-16-be", "surrogatepass").hex()
    json = "".join(rf"\\{{1,8}}u{_any_case(units[at : at + 4])}" for at in range(0, len(units), 4))
    code = ord(sign)
    python = rf"\\{{1,8}}x{_any_case(f'{code:02x}')}" if code < 256 else rf"\\{{1,8}}U{_any_case(f'{code:08x}')}"
    return [json, python]


def _percented(sign: str) -> str:
    octets = sign.encode("utf-8", "surrogatepass")
    spelled = "".join(f"%(?:25){{0,2}}{_any_case(f'{octet:02x}')}" for octet in octets)
    return rf"{spelled}|\+" if sign == " " else spelled


def _named(sign: str) -> list[str]:
    """As HTML writes it."""
    numbered = rf"&\#(?:0*{ord(sign)}|[xX]0*{_any_case(f'{ord(sign):x}')});"
    return [numbered] if escape(sign) == sign else [re.escape(escape(sign)), numbered]


def _any_case(digits: str) -> str:
    return "".join(f"[{one}{one.upper()}]" if one.isalpha() else one for one in digits)
