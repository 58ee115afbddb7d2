"""Words that set one fact apart from another: the lexicons of the guards. Data, one line a kind."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final


@dataclass(frozen=True, slots=True)
class Phrases:
    """Matches any of the phrases, whole words; `~` stands for any ending."""

    written: str
    """With commas between them."""

    def search(self, text: str) -> re.Match[str] | None:
        """The first of them in a text."""
        return _pattern(self.written).search(text)


@cache
def _pattern(written: str) -> re.Pattern[str]:
    """Made when the phrases are first looked for: most commands on a trace look for none of the hundred."""
    phrases = sorted((" ".join(one.split()) for one in written.split(",")), key=len, reverse=True)
    parts = (re.escape(one).replace(r"\~", r"\w*").replace("~", r"\w*").replace(r"\ ", r"[\s-]+") for one in phrases)
    return re.compile(rf"(?<![\w])(?:{'|'.join(parts)})(?![\w])", re.IGNORECASE)


ONE_SIDED: Final[Mapping[str, Phrases]] = {
    "past": Phrases(
        "former, formerly, previously, previous, originally, initially, used to, at first, no longer, once was, "
        "was once, had been, "
        "before that, in the past, earlier, at the time, ex, erstwhile, until 1~, until 2~, till 1~, till 2~, "
        "as a child"
    ),
    "present": Phrases(
        "now, nowadays, currently, current, today, presently, at present, these days, since then, has since, "
        "since 1~, "
        "since 2~, as of, newly, incumbent, recently, today's, the following decade, the following year, "
        "the next year, years later, a decade later"
    ),
    "planned": Phrases(
        "choice for, first choice, considered for, planned, proposed, proposal, projected, projection, "
        "expected, forecast, scheduled, intended, budgeted, "
        "target, anticipated, "
        "estimated to, original estimate, initial estimate, estimated cost, will be, will cost, would cost, "
        "was to, were to, is due to, was due to, should have, was meant to cost, was meant to lead, "
        "was meant to open, was meant to play, was meant to star, was meant to have, was meant to run, "
        "first budget, promised, on paper, plans called, plan called, plans for, design called, "
        "first design, original design, early design, first draft, "
        "had wanted, studio wanted, director wanted, producer wanted, producers wanted"
    ),
    "area": Phrases(
        "metro, metropolitan, urban area, urban region, agglomeration, greater, conurbation, municipality, "
        "county, province, prefecture, "
        "region, suburbs, city proper, nationwide, worldwide, global~, internationally, domestic~, overseas"
    ),
    "part": Phrases(
        "platform, observation deck, top floor, main span, central span, section, sections, stretch, stretches, "
        "navigable, per capita, excluding, "
        "not counting, "
        "alone, including, overall, "
        "in total, altogether, total, whole, entire, on average, average, upper part, lower part, inside, "
        "within the borders, "
        "above ground, below ground, first year, opening day, opening weekend, per year, a year, per day"
    ),
    "version": Phrases(
        "remake, sequel, prequel, adaptation, revival, reboot, paperback, hardcover, abridged, unabridged, "
        "revised, extended, "
        "director's cut, remastered, reissue, cover version, replica, copy of, translation, second edition, "
        "first edition, "
        "third edition, later edition, original version, on stage, on screen, in the film, in the novel, "
        "in the book, in the story"
    ),
    "namesake": Phrases("fils, jr, sr, namesake"),
    "when": Phrases(
        "when it, when the, when he, when she, when they, at that time, upon independence, "
        "under his successor, under her successor, under their successors, under his predecessor, under her predecessor"
    ),
    "claimed": Phrases("legend, mythical, fictional, rumoured, rumored, allegedly, folklore, unofficial~"),
}
"""Kind to phrases. A kind that only one of two facts has puts them in different times, plans, areas or versions."""


def _sets(*rows: str) -> tuple[tuple[Phrases, ...], ...]:
    return tuple(tuple(Phrases(one) for one in row.split("|")) for row in rows)


CONTRASTS: Final = _sets(
    "first | second | third | fourth | fifth | last",
    "north~ | south~ | eastern, east | western, west",
    "upper | lower",
    "men, men's, male~, man, boys, boys' | women, women's, female~, woman, girls, girls'",
    "child, children, children's, childhood, boy, girl | adult~, old man, old woman, old age",
    "in total, total, altogether, overall, whole, entire | section, sections, stretch, stretches, "
    "main span, central span, above ground, below ground, underground, excluding, not counting",
    "petrol, gasoline | diesel | ethanol | electric~",
    "singles | doubles",
    "maximum, max, highest, peak, record | minimum, min, lowest | average, mean",
    "novel, book, novella, story | film, movie, screen | stage, play | series | opera, musical | album | game",
    "summer | winter",
    "estimated, estimate, projected, planned | final, actual, real",
    "senior, elder | junior, younger",
    "old | new",
    "gross | net",
    "domestic~ | worldwide, international~, global~",
    "left | right",
)
"""Qualifiers of which a statement has one: two facts with different members speak of different things."""

ATTRIBUTES: Final = _sets(
    "born, birth~, native of | died, death, dies, killed, perished, drowned | buried, burial, grave, tomb "
    "| married, wife, husband, wed"
    " | grew up, raised, childhood | studied, educated, graduated",
    "construction began, construction started, construction of, work on, building began, groundbreaking, begun "
    "| completed, finished, completion"
    " | opened, inaugurated | consecrated, dedicated | closed, demolished, torn down | renovated, restored, rebuilt",
    "long, length | wide, width, breadth, broad | tall, metres high, meters high, m high, feet high, ft high, "
    "height, elevation, rises | deep, depth, draught"
    " | weighs, weight, weighed, heavy, mass | area, covers, square",
    "melts, melting, freez~ | boils, boiling",
    "shooting, filming, filmed | premier~, showing, released, release",
    "wrote, written, author~, writer, novelist, screenplay | illustrat~, drew, drawings | publish~ | translat~ "
    "| edited, editor",
    "directed, director | produced, producer | starred, starring, stars, played by | composed, composer, "
    "score | filmed, cinematograph~, shot by",
    "architect | engineer | sculptor | gardener, landscap~",
    "head office, headquarter~, based | founded, founder, established, set up",
    "design~, architect | built by, builder, constructed by, contractor | financed, funded, paid for | owned, "
    "owner, owns",
    "founder, founded, established | ceo, chief executive, led by, headed, chair~, president | owner, owned",
    "population, inhabitants, people live, residents | area, square | elevation, above sea",
    "revenue, turnover, sales | profit, net income, earnings | loss, debt | budget, cost",
    "capital | largest, biggest, most populous",
    "father | mother | brother | sister | uncle, aunt | wife, husband | grandfather, grandmother",
    "discovered | named | described",
    "launched, launch | landed, landing | arrived | returned",
    "crew | passengers",
    "seats, capacity, seating, holds, room for | attendance, crowd",
    "comes from, came from, origin, derived from, derives from | means, meant, meaning, stands for",
    "nominated, nomination | won, winner, awarded",
)
"""Rows of attributes that exclude each other: a fact that says only one of a row is not about the others."""

MANY: Final = Phrases(
    "flows through, runs through, passes through, lies on, runs on, supported by, oscar, award, medal, speaks, "
    "spoke, spoken, speak, fluent, languages were, sister, "
    "brother, sibling, member of, members of, "
    "won the, was awarded, awarded the, "
    "received the, recipient, honoured with, starred, stars, appeared, appears, acted, plays the, "
    "played the violin, plays guitar, guitarist of, "
    "instruments, wrote, writes, written several, author of, composed, painted, produces, makes, "
    "made cars, manufactures, sells, "
    "exports, borders, bordered, neighbours, son, daughter, children, one of, among, such as, hobby, hobbies, "
    "friends with, studied under, taught, "
    "collaborated, influenced, played for, worked for, worked with, visited, performed at, host to, home to, "
    "partner, investor, investors, "
    "sponsor, twinned, sister city, feeds on, eats, diet, guests, sang, cultivated, grown, offers"
)
"""Phrases that can be true of several values at once."""

SINGLE: Final = Phrases(
    "only, elder, older, younger, sole, eldest, oldest, youngest, first, main, official, capital, largest, "
    "favourite, itself, sister ship, was written by, written by, composed by, "
    "painted by, invented, sole author"
)
"""Words that leave room for one value only."""
MADE_BY: Final = re.compile(
    r"\b(?:written|composed|painted)\b[^.;]{0,40}\bby\b|\b(?:is|are|was|were|been) painted\b", re.IGNORECASE
)
"""A work has one maker, though a maker has many works; a thing has one coat of paint."""

NEGATION: Final = re.compile(
    r"\b(?:not|never|no|none|nobody|without|neither|nor|cannot|nothing|non|refused|failed|unable|denied)\b"
    r"|\bturned .{1,30} down\b"
    r"|n['’]t\b",
    re.IGNORECASE,
)
COMPARED: Final = re.compile(
    r"\bno(?:body|thing|[ ]?one)?\b[^.;]{0,60}?(?:\b(?:more|less)\b|\w{2,}er\b)[^.;]{0,30}? than\b", re.IGNORECASE
)
"""Nothing is larger than X: says of X that it is the largest, and denies nothing of it."""
NOT_ONLY: Final = re.compile(r"\bnot (?:only|just|merely|always)\b|\bno less\b|\bno longer\b", re.IGNORECASE)


BEFORE_OR_AFTER: Final = _sets("before, prior to, until | after, since, following")[0]
"""Which side of an event a time lies on."""
OFTEN: Final = _sets(
    "annual, annually, yearly, every year, each year, once a year, per year | "
    "monthly, every month, each month, once a month | weekly, every week, each week, once a week | "
    "daily, every day, each day, once a day"
)[0]
"""How often something happens, each in its ways to say it."""


def said(patterns: Iterable[Phrases], text: str) -> set[int]:
    """Numbers of the patterns that occur in `text`."""
    return {number for number, one in enumerate(patterns) if one.search(text)}
