"""Units of measure and money: how they are written, and what they are in a base unit."""

import re
from fractions import Fraction
from typing import Final

_METRE: Final = (
    ("mm", "millimetre", Fraction(1, 1000)),
    ("cm", "centimetre", Fraction(1, 100)),
    ("m", "metre", Fraction(1)),
    ("km", "kilometre", Fraction(1000)),
)
_FOOT: Final = Fraction(3048, 10000)
_MILE: Final = Fraction(1609344, 1000)


def _lengths() -> dict[str, tuple[str, Fraction]]:
    table: dict[str, tuple[str, Fraction]] = {}
    for short, long, factor in _METRE:
        for name in (short, long, long.replace("metre", "meter")):
            table[name] = ("m", factor)
            table[f"square {name}"] = table[f"sq {name}"] = table[f"{name}2"] = ("m2", factor**2)
            table[f"cubic {name}"] = table[f"{name}3"] = ("m3", factor**3)
    for name, factor in (("foot", _FOOT), ("feet", _FOOT), ("ft", _FOOT), ("mile", _MILE), ("mi", _MILE)):
        table[name] = ("m", factor)
        table[f"square {name}"] = table[f"sq {name}"] = ("m2", factor**2)
        table[f"cubic {name}"] = ("m3", factor**3)
    return table


def _table() -> dict[str, tuple[str, Fraction]]:
    """Return every unit: name as written (singular) -> (base unit, factor)."""
    one = Fraction(1)
    table = _lengths()
    for base, rows in _PLAIN.items():
        for names, ratio in rows:
            for name in names.split("|"):
                table[name] = (base, Fraction(ratio))
    for name, (base, factor) in list(table.items()):
        if base == "m" and name not in ("mm", "cm"):
            for joint in (f"{name} per hour", f"{name}s per hour", f"{name}/h"):
                table[joint] = ("m/s", factor / 3600)
            for joint in (f"{name} per second", f"{name}s per second", f"{name}/s"):
                table[joint] = ("m/s", factor)
        if base == "m3":
            for joint in (f"{name} per second", f"{name}s per second", f"{name}/s"):
                table[joint] = ("m3/s", factor)
    table["%"] = ("%", one)
    return table


_PLAIN: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    "m": (
        ("inch|inches", "127/5000"),
        ("yard|yd", "1143/1250"),
        ("nautical mile", "1852"),
        ("light-year|light year", "9460730472580800"),
    ),
    "m2": (("hectare|ha", "10000"), ("acre", "316160658/78125")),
    "m3": (
        ("litre|liter|l", "1/1000"),
        ("millilitre|milliliter|ml", "1/1000000"),
        ("gallon", "3785411784/1000000000000"),
    ),
    "kg": (
        ("kilogram|kilogramme|kilo|kg", "1"),
        ("gram|gramme|g", "1/1000"),
        ("milligram|mg", "1/1000000"),
        ("tonne|metric ton|t", "1000"),
        ("pound|lb|lbs", "45359237/100000000"),
        ("ounce|oz", "28349523125/1000000000000"),
    ),
    "ton": (("ton", "1"),),
    "s": (
        ("second|sec|s", "1"),
        ("minute|min|mins", "60"),
        ("hour|hr|hrs|h", "3600"),
        ("day", "86400"),
        ("week", "604800"),
        ("millisecond|ms", "1/1000"),
    ),
    "month": (("month", "1"), ("year|yr|yrs", "12"), ("decade", "120"), ("century|centuries", "1200")),
    "m/s": (("mph", "1397/3125"), ("kph|km/h|kmh", "5/18"), ("knot|knots", "463/900")),
    "w": (("watt|w", "1"), ("kilowatt|kw", "1000"), ("megawatt|mw", "1000000"), ("gigawatt|gw", "1000000000")),
    "hp": (("horsepower|hp|bhp", "1"),),
    "wh": (("kilowatt-hour|kilowatt hour|kwh", "1000"), ("mwh|megawatt hour", "1000000"), ("gwh", "1000000000")),
    "hz": (("hertz|hz", "1"), ("kilohertz|khz", "1000"), ("megahertz|mhz", "1000000"), ("gigahertz|ghz", "1000000000")),
    "rpm": (("rpm|revolutions per minute", "1"),),
    "byte": (
        ("byte|bytes", "1"),
        ("kilobyte|kb", "1000"),
        ("megabyte|mb", "1000000"),
        ("gigabyte|gb", "1000000000"),
        ("terabyte|tb", "1000000000000"),
    ),
    "c": (("\u00b0c|degrees celsius|degree celsius|degrees centigrade|celsius|\u00b0 c", "1"),),
    "f": (("\u00b0f|degrees fahrenheit|fahrenheit|\u00b0 f", "1"),),
    "kelvin": (("kelvin|kelvins", "1"),),
    "degree": (("degree|\u00b0", "1"),),
    "volt": (("volt|v", "1"), ("kilovolt|kv", "1000")),
    "bar": (("bar|bars", "1"),),
    "%": (("%|percent|per cent|pct", "1"),),
    "point": (("percentage point", "1"),),
    "usd": (("dollar|us dollar|u.s. dollar|american dollar|usd", "1"), ("us cent", "1/100")),
    "eur": (("euro|eur", "1"),),
    "gbp": (("pound sterling|pounds sterling|british pound|gbp", "1"),),
    "jpy": (("yen|jpy|japanese yen", "1"),),
    "inr": (("rupee|indian rupee|inr", "1"),),
    "cny": (("yuan|renminbi|rmb|cny", "1"),),
    "chf": (("swiss franc|chf", "1"),),
    "cad": (("canadian dollar|cad", "1"),),
    "aud": (("australian dollar|aud", "1"),),
    "franc": (("franc", "1"),),
    "krone": (("krone|kroner|krona|kronor|crown", "1"),),
    "rub": (("ruble|rouble|rub", "1"),),
}

UNITS: Final = _table()
"""Written unit (casefolded, singular) -> (base unit, how many base units it is)."""
CURRENCY_SIGNS: Final = {
    "us$": "usd",
    "a$": "aud",
    "c$": "cad",
    "$": "usd",
    "\u00a3": "gbp",
    "\u20ac": "eur",
    "\u00a5": "jpy",
    "\u20b9": "inr",
    "usd": "usd",
    "eur": "eur",
    "gbp": "gbp",
}
"""Sign before an amount (casefolded) -> base unit."""
_IMPERIAL: Final = re.compile(r"inch|foot|feet|ft|mile|mi|yard|yd|acre|pound|lb|ounce|oz|gallon|mph|knot|fahrenheit")


def _pattern() -> str:
    """Return a regular expression for any unit, longest first, plural allowed on whole words."""
    written = sorted(UNITS, key=lambda name: (-len(name), name))
    return "|".join(re.escape(name) + ("s?" if len(name) > 3 and name[-1].isalpha() else "") for name in written)


UNIT_PATTERN: Final = rf"(?:{_pattern()})(?![\w])"
"""Any unit, as a regular expression for casefolded text."""
CURRENCY_PATTERN: Final = "|".join(re.escape(sign) for sign in sorted(CURRENCY_SIGNS, key=len, reverse=True))
"""Any currency sign, as a regular expression for casefolded text."""


def read_unit(written: str) -> tuple[str, Fraction]:
    """Return (base unit, factor) of a unit as written, casefolded; ('', 1) for none.

    >>> read_unit("square kilometres")
    ('m2', Fraction(1000000, 1))
    """
    for form in (written, written.removesuffix("s"), written.removesuffix("es")):
        if form in UNITS:
            return UNITS[form]
    return "", Fraction(1)


def is_imperial(written: str) -> bool:
    """Tell whether a unit belongs to the system whose conversions are always rounded."""
    return bool(_IMPERIAL.search(written))
