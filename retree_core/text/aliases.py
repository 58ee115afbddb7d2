"""Names that are written in more than one way."""

import re
from typing import Final

from retree_core.text.wordlists import word_set

_GROUPS: Final = (
    "united states|united states of america|us|u.s.|usa|u.s.a.|the states",
    "united kingdom|uk|u.k.|great britain|britain",
    "united arab emirates|uae|u.a.e.",
    "soviet union|ussr|u.s.s.r.",
    "european union|eu|e.u.",
    "united nations|un|u.n.",
    "new york city|nyc|n.y.c.",
    "washington d.c.|washington dc|washington, d.c.|district of columbia",
    "los angeles|l.a.",
    "people's republic of china|prc|china",
    "republic of korea|south korea",
    "russian federation|russia",
    "czech republic|czechia",
    "ivory coast|cote d'ivoire",
    "myanmar|burma",
    "netherlands|holland",
    "turkey|turkiye",
    "eswatini|swaziland",
    "beijing|peking",
    "mumbai|bombay",
    "kolkata|calcutta",
    "kyiv|kiev",
    "second world war|world war ii|world war two|world war 2|wwii|ww2|ww ii",
    "first world war|world war i|world war one|world war 1|wwi|ww1|ww i",
)
ALIASES: Final = {re.sub(r"[^\w ]", "", name): group.split("|")[0] for group in _GROUPS for name in group.split("|")}
"""Name without punctuation, in lower case -> the one form that stands for all."""
SHORT_WORDS: Final = {
    "st": "saint",
    "ste": "saint",
    "mt": "mount",
    "mtn": "mountain",
    "ft": "fort",
    "univ": "university",
    "bros": "brothers",
    "co": "company",
    "corp": "corporation",
    "inc": "incorporated",
    "ltd": "limited",
    "jr": "junior",
    "sr": "senior",
    "dept": "department",
    "intl": "international",
    "natl": "national",
}
"""Shortened word inside a name -> the full word."""
TITLES: Final = word_set("mr mrs ms miss dr doctor prof professor sir dame lord lady rev reverend hon")
"""Words before a name that are not part of it."""
ROLES: Final = word_set(
    "ceo cfo cto coo president vice chairman chairwoman chair mayor governor senator minister chancellor director "
    "captain general colonel professor emperor architect author king queen prince princess pope founder"
)
"""Offices that stand before a name or an 'of'; not part of the name."""
INSTITUTIONS: Final = word_set(
    "church cathedral college hospital school university hall park bay day island lake abbey chapel square court "
    "basilica market house stadium lane street"
)
"""Words that make one name with a possessive before them: St. Mary's Church."""
COMPANY_ENDINGS: Final = word_set("incorporated limited corporation company plc llc gmbh ag sa")
"""Words after a company's name that are often left out."""
