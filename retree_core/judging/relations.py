"""What facts are about: a table of common attributes and the many ways to say each of them.

A label stands for one attribute. Two facts that name the same attribute in other words share its label; two that name
different ones share none. The table is data: adding a line is the way to teach the guards a new attribute.
"""

from collections.abc import Mapping
from typing import Final

from retree_core.judging.stems import stem
from retree_core.text.wordlists import phrase_set

_EVENTS: Final = {
    "force": "came into force, took effect, entered into force, in force, came into effect, effective",
    "childhood": "grew up, childhood, raised in, brought up, spent her childhood, spent his childhood, upbringing",
    "birth": "born, birth, birthplace, birthdate, birthday, birth year, native of, birthed",
    "death": "died, dies, die, death, passed away, perished, deceased, was killed, drowned",
    "burial": "buried, burial, grave, tomb, interred, interment, laid to rest, resting place",
    "marriage": "married, marry, marries, wed, wedding, wife, husband, spouse, bride, marriage",
    "divorce": "divorced, divorce, separated from",
    "education": "educated, graduated, graduate of, graduate, attended, alma mater, degree, studied, studies, schooling",
    "begin": "began, begun, begins, started, start, starts, commenced, got under way, broke ground, groundbreaking, foundation stone, outbreak, broke out, launched",
    "complete": "completed, completion, finished, was finished, concluded",
    "open": "opened, opening, opens, inaugurated, inauguration, unveiled, open to the public",
    "close": "closed, closure, closed its doors, shut, shut down, ceased, ended, end, dissolved, disbanded, abolished, shuttered",
    "build": "built, builds, builder, constructed, construction, erected, dates from, dates back to, dates to, building of",
    "rebuild": "rebuilt, renovated, restored, restoration, renovation, reconstructed, refurbished",
    "consecrate": "consecrated, dedicated, consecration",
    "demolish": "demolished, destroyed, torn down, razed, burned down, burnt down, destruction",
    "found": "founded, founder, founders, founding, co founded, established, establishment, set up, was formed, were formed, formed in, formed by, formation, incorporated, started by, creation of",
    "discover": "discovered, discovery, discoverer, discovers, first isolated, isolated, first described, first observed, identified, detected, spotted",
    "invent": "invented, invention, inventor, invents, devised, developed, patented, pioneered",
    "design": "designed, designer, designs, architect, architects, blueprint, design by, drew up the plans",
    "write": "wrote, written, writes, author, authored, penned, novelist, writer, novel by, book by, poem by, play by, story by, essay by, writing",
    "publish": "published, publication, publishes, appeared, came out, released, release, premiered, debuted, issued, first published, first broadcast, premiere, first performed",
    "illustrate": "illustrated, illustrator, illustrations",
    "translate": "translated, translator, translation",
    "edit": "edited, editor",
    "compose": "composed, composer, composition, music by, score by, scored",
    "perform": "performed, performer, sung, sang, singer, sings, recorded, vocals",
    "direct": "directed, director, directs, film by, movie by, documentary by",
    "produce": "produced, producer",
    "star": "starred, stars, starring, cast",
    "portray": "played the, portrayed, portrays, plays the, was played by, played by, role of, part of the",
    "paint": "painted, painter of, painting by, portrait by, paints",
    "sculpt": "sculpted, sculptor of, carved, sculpture by",
    "create": "created, creator, creates, work of, made by, attributed to, by the hand of, credited to, is by, was by",
    "win": "won, wins, winner, winning, victor, victory, victorious, took the title, champion, champions",
    "lose": "lost, loses, loser, defeat",
    "beat": "beat, beaten, defeated, defeats, overcame",
    "acquire": "acquired, acquisition, acquires, bought, purchased, purchase, took over, takeover, bought by",
    "sell": "sold, sells, sale, fetched, auctioned, auction",
    "own": "owned, owner, owns, belongs to, property of",
    "appoint": "appointed, appointment, became, becomes, took office, elected, named as, took over as, sworn in, inducted, promoted",
    "resign": "resigned, resignation, stepped down, left office, retired, retirement",
    "join": "joined, joins, enlisted, enrolled, entered the, signed for, signed with",
    "sign": "signed, signing, concluded the treaty, ratified, adopted",
    "crown": "crowned, coronation, ascended, came to the throne",
    "reign": "reigned, reign, ruled, rule, ruler",
    "occur": "took place, takes place, taken place, fought, held, occurred, happened, staged, hosted, venue, celebrated",
    "arrive": "came down, touched down, arrived, landed, landing, reached",
    "crash": "crashed, crash, shipwreck, went down, wrecked, sank, sunk, fell, came down, collapsed",
    "kill": "killed by, murdered, murder, assassinated, assassination, assassin, executed, murderer, shot by",
    "enact": "enacted, became law, passed, passed into law, adopted, signed into law, enactment, approved, legislated",
    "depart": "departed, departure, set sail, set out, sailed from, embarked, left, fled, leaves",
    "emigrate": "emigrated, left for, moved to, emigration, migrated",
    "film": "shot in, shot on, filmed, filming, was shot",
    "train": "trained, trainer, training",
    "finance": "financed, financier, funded, funding, paid for",
    "climb": "climbed, climb, scaled, ascent, summited",
}
_MEASURES: Final = {
    "population": "population, inhabitants, inhabitant, residents, people live, home to, populated, people living, populace, villagers, townspeople",
    "area": "area, covers, covered an area, spans an area, surface, extends over, occupies, acreage",
    "length": "long, length, in length, stretches, kilometres long",
    "width": "wide, width, broad, breadth, in width",
    "height": "tall, high, height, rises to, rises, elevation, altitude, above sea level, tallness, in height, peak at",
    "depth": "deep, depth, below the surface",
    "diameter": "diameter, across, in diameter",
    "wingspan": "wingspan, wing span",
    "weight": "weighs, weight, weighed, mass, heavy, weighing",
    "speed": "speed, fast, velocity, runs at, travels at, top speed",
    "power": "power, output, generates",
    "temperature": "temperature, boils, melts, freezes, boiling point, melting point, degrees",
    "age": "aged, age, years old, year old",
    "duration": "lasted, lasts, lasting, took, runs for, ran for, duration, running time, runtime, minutes long, hours long",
    "cost": "cost, costs, price, priced, expense, budget",
    "revenue": "revenue, revenues, turnover, grossed, earned, earnings, takings, box office",
    "profit": "profit, profits, net income",
    "loss": "net loss, deficit",
    "staff": "employees, employs, employed, staff, workforce, workers",
    "capacity": "seats, capacity, seating, holds, accommodates, can hold, seat",
    "distance": "distance, from the, away, far",
    "casualties": "casualties, killed, dead, deaths, died, death toll, fatalities, lives",
    "vote": "votes, voted, voters, backed, supported",
    "score": "scored, score, goals, points",
    "rank": "finished, ranked, placed, came, place, ranking",
    "circulation": "copies, circulation, sales",
    "frequency": "every, annually, yearly",
}
_STATES: Final = {
    "capital": "capital, seat of government, capital city",
    "largest": "largest, biggest, most populous",
    "smallest": "smallest, least populous",
    "highest": "highest, tallest",
    "longest": "longest",
    "oldest": "oldest, earliest",
    "language": "language, languages, official language, speaks, spoken, spoke, speaker",
    "currency": "currency",
    "religion": "religion, faith, church member, religious, converted",
    "anthem": "anthem",
    "motto": "motto",
    "nickname": "nickname, nicknamed, known as, also called, called, pseudonym, pen name, stage name, alias",
    "namesake": "named after, named for, takes its name from, name comes from, name derives from, in honour of, eponym",
    "chief": "ceo, chief executive, chief executive officer, led by, headed by, heads, leads, run by, runs the, head of, leader, boss, at the helm",
    "mayor": "mayor, mayoress",
    "president": "president, presidency",
    "minister": "minister, premier, prime minister, chancellor",
    "governor": "governor",
    "chair": "chairman, chairwoman, chair, chairperson, chaired",
    "monarch": "king, queen, monarch, emperor, empress, sultan",
    "coach": "coach, coached, head coach, trainer, trained by, manager, managed by, managed",
    "conductor": "conductor, conducts, conducted",
    "captain": "captain, captained, skipper, commander, commanded",
    "teacher": "teacher, taught by, mentor, student of, pupil of, studied under, tutor, teaches",
    "principal": "principal, headmaster, headteacher, dean, rector",
    "bishop": "bishop, archbishop",
    "mother": "mother",
    "father": "father",
    "parent": "parent, parents, son of, daughter of, child of",
    "sibling": "sister, brother, sibling, siblings, sisters, brothers",
    "children": "children, child, kids, sons, daughters, son, daughter",
    "reside": "lives, lived, live, living, resides, resided, residence, residing, dwells, home in, makes her home, makes his home, settled in",
    "work": "works, worked, working, job, employed at, employed by, employer, career",
    "located": "located, location, lies, situated, stands, sits, found in, lie, stood, lying",
    "base": "based, headquartered, headquarters, head office, main office, seat, hq",
    "origin": "originated, originates, origin, comes from, came from, hails from, native to, endemic to, indigenous",
    "flow": "flows, empties, drains, mouth, flowing, discharges, runs into, tributary",
    "source": "source of the, source, rises in, headwaters, springs",
    "ground": "ground, stadium, home games, home matches, home ground, arena",
    "material": "made of, made from, made out of, built of, built from, constructed of, composed of, covered with, covered in, clad in, consists of, fashioned from, carved from, material, cast in",
    "colour": "colour, color, coloured, painted, colored, dyed",
    "cause": "caused by, cause of, causes, due to, results from, resulted from, result of, triggered by, blamed on, because of, stemmed from",
    "basis": "based on, adapted from, adaptation of, inspired by",
    "orbit": "orbits, moon of, satellite of, revolves around, circles",
    "diet": "eats, feeds on, diet, preys on",
    "classification": "classified as, belongs to the family, member of the genus, type of, kind of, species of, family",
    "membership": "member of, members of, membership",
    "position": "played as, plays as, position, served as, serves as",
    "genre": "genre",
    "nationality": "citizen, nationality, national of, citizenship",
    "party": "party, member of the party",
    "award": "award, prize, medal, medals, awarded, received, honoured with",
    "verdict": "verdict, sentenced, convicted, found guilty, acquitted, sentence",
    "succession": "succeeded, succeeded by, successor, followed by, replaced by, replaced",
    "predecession": "preceded, preceded by, predecessor",
    "instrument": "plays the, instrument",
    "border": "borders, bordered, neighbours, adjoins",
}
_WIDER: Final = {
    "create": "paint sculpt write compose design direct invent build found illustrate",
    "parent": "mother father",
    "mother": "parent",
    "father": "parent",
    "own": "acquire",
}
"""Attribute -> others that the same words may well mean: 'the work of A' can be a painting."""
LABELS: Final[Mapping[str, str]] = {**_EVENTS, **_MEASURES, **_STATES}
"""Attribute -> the words and phrases that name it, set apart by commas."""
EVENTS: Final = frozenset(_EVENTS)
MEASURES: Final = frozenset(_MEASURES)


def _by_stems() -> dict[tuple[str, ...], frozenset[str]]:
    """Return phrase, as stems -> the attributes it can name."""
    table: dict[tuple[str, ...], frozenset[str]] = {}
    for label, phrases in LABELS.items():
        for phrase in phrase_set(phrases):
            key = tuple(stem(word) for word in phrase.split())
            table[key] = table.get(key, frozenset()) | {label, *_WIDER.get(label, "").split()}
    return table


PHRASES: Final[Mapping[tuple[str, ...], frozenset[str]]] = _by_stems()
"""Phrase, as stems -> the attributes it can name."""
LONGEST_PHRASE: Final = max(len(phrase) for phrase in PHRASES)
