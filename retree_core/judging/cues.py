"""Cue words: what sets a statement in another time, plan, scope or medium, and what turns it round.

Kinds of cue are data. A cue that only one of two facts has makes them statements about different things, unless
nothing else differs.
"""

from collections.abc import Mapping
from typing import Final

from retree_core.text.wordlists import phrase_set

ONE_SIDED: Final[Mapping[str, frozenset[str]]] = {
    "past": phrase_set(
        "former, formerly, previously, previous, originally, initially, used to, at first, in the past, earlier, no longer, "
        "until, till, then-, once lived, once stood, once had, was once, were once, one time, one-time, onetime, ex-, "
        "erstwhile, in her youth, in his youth, as a child, "
        "when it opened, when founded, at its founding, at the time, back then, historically, for years, stepped down, "
        "before that, prior to, had been"
    ),
    "now": phrase_set(
        "now, nowadays, currently, current, today, presently, present-day, at present, these days, since, recently, lately, "
        "later, afterwards, subsequently, eventually, as of, newly, incumbent, has since, from then on, by then, "
        "in recent years"
    ),
    "when": phrase_set(
        "last year, this year, next year, last season, this season, next season, last month, this month, last week, this week, yesterday, tomorrow, "
        "the following year, the previous year, the year before, the same year, a year later, at birth, at death, in old age, in middle age, "
        "as a young man, as a young woman, in childhood, in later life, on arrival, at launch, at its peak, at first"
    ),
    "planned": phrase_set(
        "planned, plans, proposed, proposal, projected, projection, expected, forecast, forecasts, scheduled, intended, "
        "budgeted, target, targeted, anticipated, estimate before, will be, will cost, is due to, would cost, hoped, promised, "
        "is set to, originally estimated, initial estimate, draft, upcoming"
    ),
    "rank": phrase_set(", ".join(
        f"{rank}{gap}{kind}est"
        for rank in ("second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
        for gap in (" ", "-")
        for kind in ("larg", "bigg", "high", "long", "tall", "old", "small", "deep", "busi", "rich", "great", "near", "clos")
    )),
    "claimed": phrase_set(
        "unofficial, unofficially, reportedly, independent estimates, critics, "
        "according to legend, legend says, legend has it, mythical, fictional, rumoured, rumored, in the story, folklore, tradition holds, "
        "mistakenly, wrongly, falsely, hypothetical, allegedly"
    ),
    "area": phrase_set(
        "metro, metropolitan, urban area, urban agglomeration, agglomeration, greater, conurbation, municipality, county, district, "
        "province, prefecture, region, suburbs, city limits, city proper, downtown, nationwide, statewide, worldwide, global, globally, "
        "internationally, international, domestic, domestically, abroad, overseas, provincial, regional, rural"
    ),
    "part": phrase_set(
        "main span, central span, section, sections, segment, portion, part of the, wing, branch, division, subsidiary, "
        "department, per capita, per person, per year, per month, per day, annually, a year, each year, half of, first half, second half, "
        "annex, extension, chapter, volume, campus, faculty, one of its, tributary, pilot, prototype, excluding, "
        "including, combined, in total, altogether, overall, alone, on average, average, median, mean, minimum, cumulative"
    ),
    "version": phrase_set(
        "remake, sequel, prequel, revival, reboot, adaptation, paperback, hardcover, hardback, abridged, unabridged, revised, "
        "deluxe, remastered, reissue, reissued, cover version, replica, copy of, directors cut, director's cut, trial version, "
        "beta, translation, dubbed, live version, original version, second edition, first edition, third edition, "
        "reprint, edition, junior, youth team, reserve team, namesake"
    ),
}
"""Kind -> words and phrases. `compare` looks for kinds that only one side has."""

GROUPS: Final[Mapping[str, tuple[str, ...]]] = {
    # each member is one idea ('a|b' are two words for it); different members of a group exclude each other
    "direction": (
        "north|northern|northernmost|northward", "south|southern|southernmost|southward", "east|eastern|easternmost",
        "west|western|westernmost", "northeast|northeastern|north-eastern|north-east", "northwest|northwestern|north-western|north-west",
        "southeast|southeastern|south-eastern|south-east", "southwest|southwestern|south-western|south-west", "central",
    ),
    "side": ("left", "right"),
    "level": ("upper|top|uppermost", "lower|bottom|lowermost", "middle"),
    "inner": ("inner|indoor|inside|interior", "outer|outdoor|outside|exterior"),
    "sex": ("male|males|men|mens|man|boys|boy", "female|females|women|womens|woman|girls|girl", "mixed"),
    "age": ("adult|adults|grown", "child|children|juvenile|juveniles|infant|young|larvae|calves|newborn", "elderly|seniors"),
    "generation": ("elder|the elder|senior", "younger|the younger|junior"),
    "season": ("spring|springtime", "summer|summertime", "autumn|fall season|autumnal", "winter|wintertime"),
    "daytime": ("day|daytime|by day", "night|nighttime|nocturnal|by night", "morning|dawn|sunrise", "evening|dusk|sunset|afternoon"),
    "month": tuple("january february march april june july august september october november december".split()),
    "weekday": tuple(f"{day}|{day}s" for day in "monday tuesday wednesday thursday friday saturday sunday".split()),
    "medium": (
        "novel|book|novella", "film|movie|feature film", "play|stage|stage play", "series|tv series|television series", "opera", "musical",
        "comic|comics|manga|graphic novel", "game|video game", "album", "song|single", "short story",
    ),
    "binding": ("hardcover|hardback", "paperback|softcover", "ebook|e-book", "audiobook"),
    "format": ("singles", "doubles"),
    "reach": ("domestic|domestically|home market|nationally|national", "worldwide|international|internationally|global|globally|overseas|abroad"),
    "venue": ("home", "away"),
    "extreme": ("maximum|max|highest|greatest|peak|largest|deepest", "minimum|min|lowest|smallest|least", "average|mean|typical"),
    "gross": ("gross", "net"),
    "money": ("revenue|turnover|revenues", "profit|profits", "loss|losses", "debt|debts", "assets"),
    "weightkind": ("empty", "loaded|laden|fully loaded"),
    "order": ("last|final", "penultimate", "initial"),
    "office": ("deputy|vice|assistant|acting|interim", "full|permanent"),
    "stage": ("qualifying|qualification|semi-final|semifinal|quarter-final|group stage", "final"),
    "colour": (
        "red|crimson|scarlet", "blue|navy", "green", "yellow", "white", "black", "brown", "orange", "purple|violet",
        "pink", "grey|gray", "golden|gold-coloured", "turquoise", "maroon", "cream|beige",
    ),
    "material": (
        "bronze", "marble", "granite", "limestone", "sandstone", "brick|bricks", "concrete", "wood|wooden|timber", "oak|oaken", "pine",
        "steel", "iron|wrought iron|cast iron", "copper", "gold", "silver", "glass", "slate", "clay", "paper", "plastic", "aluminium|aluminum",
        "ivory", "leather", "wool|woollen", "silk", "cotton", "linen", "thatch|straw", "lead", "tin", "zinc", "jade", "bamboo", "birch|birchbark", "willow", "elm", "spruce", "fir", "teak", "maple", "beech", "reed|reeds", "papyrus", "porcelain",
        "plaster", "basalt", "titanium", "rubber", "parchment|vellum", "canvas", "ebony", "mahogany", "cedar", "walnut", "stone",
        "metal|metallic", "gut|catgut", "horsehair", "horn", "bone", "shell", "coral", "flint", "carbon fibre", "fibreglass|fiberglass", "adobe", "cardboard", "wax", "nylon", "polyester",
    ),
    "creature": (
        "mammal|mammals", "fish|fishes", "bird|birds", "reptile|reptiles", "amphibian|amphibians", "insect|insects", "arachnid|arachnids|spider",
        "plant|plants", "fungus|fungi", "mollusc|molluscs|mollusk", "crustacean|crustaceans", "bacterium|bacteria|bacterial",
        "virus|viruses|viral", "parasite|parasites",
    ),
    "feeding": ("herbivore|herbivores|herbivorous", "carnivore|carnivores|carnivorous", "omnivore|omnivores|omnivorous", "insectivore"),
    "produce": ("fruit", "vegetable", "grain", "nut", "spice", "herb", "root vegetable", "legume"),
    "lifecycle": ("annual", "biennial", "perennial"),
    "activity": ("nocturnal", "diurnal"),
    "genre": (
        "comedy|comedies", "tragedy|tragedies", "drama", "thriller", "romance", "horror", "western genre", "documentary", "biography",
        "autobiography", "satire", "fantasy", "science fiction", "mystery", "poem", "essay",
    ),
    "rock": ("igneous", "sedimentary", "metamorphic"),
    "matter": ("solid", "liquid", "gas|gaseous", "plasma"),
    "water": ("freshwater|fresh water", "saltwater|salt water|saline|brackish", "marine"),
    "kin": (
        "son", "daughter", "brother", "sister", "nephew", "niece", "uncle", "aunt", "cousin", "father", "mother", "grandson",
        "granddaughter", "grandfather", "grandmother", "husband", "wife", "stepson", "stepdaughter", "stepfather", "stepmother",
        "father-in-law", "mother-in-law", "widow", "widower", "teacher|mentor|tutor", "pupil|student|apprentice|disciple",
    ),
    "denomination": (
        "catholic|roman catholic", "protestant", "lutheran", "anglican", "methodist", "baptist", "orthodox", "muslim|islamic|islam", "jewish|judaism",
        "hindu|hinduism", "buddhist|buddhism", "sikh", "atheist", "quaker", "calvinist", "presbyterian", "sunni", "shia|shiite",
    ),
    "position": ("goalkeeper|keeper", "defender|centre-back|full-back", "midfielder", "forward|striker|winger", "pitcher", "catcher", "quarterback"),
    "voice": ("soprano", "mezzo-soprano|mezzo", "alto|contralto", "tenor", "baritone", "bass singer|bass"),
    "style": ("gothic", "baroque", "romanesque", "renaissance", "neoclassical|neo-classical|classical", "art deco", "art nouveau", "modernist|modern", "brutalist", "rococo"),
    "government": ("republic", "monarchy|kingdom", "dictatorship", "federation|federal republic", "empire", "principality", "duchy"),
    "medal": ("gold medal|gold medallist", "silver medal|silver medallist", "bronze medal|bronze medallist"),
    "key": tuple(f"{note} {mode}" for note in "a b c d e f g".split() for mode in ("major", "minor")),
    "planet": tuple("mercury venus earth mars jupiter saturn uranus neptune pluto".split()),
    "force": ("army", "navy", "air force", "marines"),
    "part_of_animal": ("front legs|forelegs|forelimbs", "hind legs|hindlegs|hind limbs"),
}  # fmt: skip
"""Group -> its members, which exclude each other."""

SCOPE_GROUPS: Final = frozenset(
    "side level inner sex age generation season daytime month weekday medium binding format reach venue extreme gross money weightkind "
    "order office stage direction colour creature part_of_animal water activity genre planet force".split()
)
"""Groups whose words can also say which thing is meant; then a second difference means another scope."""

KINDS_OF: Final[Mapping[str, frozenset[str]]] = {
    # a wider word -> words for kinds of it
    "metal": phrase_set("bronze, steel, iron, copper, gold, silver, lead, tin, zinc, aluminium, titanium"),
    "wood": phrase_set("oak, pine, ebony, mahogany, cedar, walnut, bamboo, birch, willow, elm, spruce, fir, teak, maple, beech"),
    "stone": phrase_set("marble, granite, limestone, sandstone, slate, basalt, jade"),
    "drama": phrase_set("comedy, tragedy, thriller"),
    "classical": phrase_set("neoclassical"),
    "forward": phrase_set("striker"),
    "musician": phrase_set(
        "violinist, pianist, cellist, guitarist, singer, drummer, organist, flautist, composer, conductor, rapper, songwriter"
    ),
    "artist": phrase_set("painter, sculptor, illustrator, photographer, printmaker, potter, draughtsman"),
    "scientist": phrase_set(
        "physicist, chemist, biologist, botanist, zoologist, geologist, astronomer, naturalist, psychologist, linguist"
    ),
    "writer": phrase_set("novelist, poet, playwright, essayist, journalist, author, screenwriter, humorist, historian"),
    "athlete": phrase_set("footballer, swimmer, runner, cyclist, boxer, wrestler, skier, golfer, cricketer, jockey"),
    "doctor": phrase_set("surgeon, pediatrician, cardiologist, psychiatrist"),
    "politician": phrase_set("senator, mayor, minister, governor, member of parliament, diplomat"),
    "animal": phrase_set("mammal, bird, fish, reptile, insect, amphibian"),
    "vehicle": phrase_set("car, truck, bus, lorry, motorcycle"),
    "fruit": phrase_set("apple, pear, banana, cherry, plum, peach, mango"),
    "weapon": phrase_set("sword, rifle, pistol, knife, spear, axe"),
    "building": phrase_set("church, school, hospital, library, house, tower, hotel"),
    "relative": phrase_set("uncle, aunt, cousin, nephew, niece"),
    "child": phrase_set("son, daughter"),
    "parent": phrase_set("father, mother"),
    "sibling": phrase_set("brother, sister"),
}
"""Wider word -> words for kinds of it."""

ANTONYMS: Final[tuple[tuple[str, str], ...]] = (
    ("for", "against"), ("upheld|uphold|affirmed", "overturned|overturn|quashed|reversed|struck down"), ("guilty|convicted", "acquitted|innocent|cleared|not guilty"),
    ("confirmed|confirm|proved|proven|supported|supports|verified", "refuted|refute|disproved|contradicted|contradicts|debunked"),
    ("survived|survives|survive", "destroyed|perished|collapsed|died|killed"),
    ("accepted|accept|accepts|approved|approves|passed|adopted|agreed", "rejected|reject|rejects|refused|declined|vetoed|turned down|voted down|disapproved"),
    ("legal|lawful|permitted|allowed|allows|permits", "illegal|unlawful|banned|prohibited|forbidden|bans|prohibits|forbids|outlawed"),
    ("increased|increase|increases|rose|grew|risen|grown|gained|raised|raises|expands|expanded", "decreased|decrease|decreases|declined|fell|shrank|dropped|shrunk|fallen|reduced|reduces|lowers|lowered|contracts"),
    ("won|wins|win|victorious|victory", "lost|loses|lose|defeated|defeat"),
    ("alive|living", "dead|extinct|deceased"), ("succeeded|success|successful|successfully", "failed|failure|unsuccessful|unsuccessfully"),
    ("always", "never"), ("older|elder", "younger"), ("larger|bigger|greater", "smaller"), ("longer", "shorter"), ("taller|higher", "shorter|lower"),
    ("heavier", "lighter"), ("faster|quicker", "slower"), ("more", "fewer|less"), ("before", "after"), ("earlier", "later"), ("hot|warm", "cold|cool"),
    ("wet|humid", "dry|arid"), ("exports|export|exported", "imports|import|imported"), ("hard", "soft"), ("rich|wealthy", "poor"), ("public|state-owned", "private|privately owned"), ("open", "closed"),
    ("active", "inactive|dormant|extinct"), ("deciduous", "evergreen"), ("poisonous|toxic|venomous", "harmless|nontoxic|non-toxic|non-venomous|edible"),
    ("safe|harmless", "dangerous|unsafe|hazardous|harmful"), ("true|correct", "false|incorrect|untrue|wrong"), ("visible", "invisible"), ("single|unmarried|bachelor", "married"),
    ("permanent", "temporary"), ("positive", "negative"), ("major", "minor"), ("above", "below"), ("clockwise", "anticlockwise|counterclockwise|counter-clockwise"),
    ("present|attended", "absent|missed"), ("professional", "amateur"), ("free", "paid"), ("even", "odd"), ("concave", "convex"), ("rural", "urban"),
    ("vertebrate", "invertebrate"), ("supported|backed|favoured|endorsed", "opposed|opposes"), ("left-handed", "right-handed"), ("monotheistic", "polytheistic"),
    ("renewable", "non-renewable|nonrenewable"), ("natural", "artificial|man-made|manmade"), ("solo", "together|jointly"), ("independent", "dependent"),
    ("lead role|leading", "supporting"), ("start|beginning", "end"), ("early", "late"), ("offensive", "defensive"), ("common", "rare"), ("ancient", "modern"),
    ("complete|finished|completed", "incomplete|unfinished"), ("identical", "fraternal"), ("intentional|deliberate", "accidental"), ("famous", "obscure"),
    ("inhabited", "uninhabited"), ("domesticated|tame", "wild"), ("monogamous", "polygamous"), ("landlocked", "coastal"), ("strong", "weak"),
    ("likely", "unlikely"), ("possible", "impossible"), ("guaranteed", "denied"), ("friend|ally|allies|allied", "enemy|foe"), ("acidic", "alkaline"),
    ("widely|well received|praised|acclaimed", "panned|criticised|criticized|poorly received"), ("only|sole", "one of several"), ("flammable", "non-flammable"),
    ("voluntary|voluntarily", "compulsory|mandatory|forced"), ("optional", "mandatory|compulsory|required"), ("innocuous|benign", "malignant"), ("peaceful", "violent"),
)  # fmt: skip
"""Pairs of ideas that exclude each other; '|' sets apart words for one idea."""

STATEMENT_ANTONYMS: Final = phrase_set(
    "for, against, upheld, guilty, confirmed, survived, accepted, legal, increased, won, alive, succeeded, always, true, safe, poisonous, supported, possible, "
    "guaranteed, likely, widely, visible, complete"
)
"""First words of the pairs above that turn a statement round; the others can also say which thing is meant."""
NEGATIONS: Final = phrase_set(
    "not, no, never, cannot, n't, neither, nor, without, none, nobody, nothing, nowhere, lacks, lack, lacked, fails to, failed to, "
    "denied, denies, refused to, hardly, unable to, absence of, free of, free from, false that, untrue that, myth that, declined to"
)
"""Words that turn a statement round."""
NOT_ONLY: Final = phrase_set("not only, not just, not merely, not simply, not solely, not alone")
"""Phrases with a negation that denies nothing."""
MANY_CUES: Final = phrase_set(
    "also, too, another, as well, among, including, include, includes, included, such as, one of, e.g., for example, for instance, other, others, "
    "a member, some of, several, various, both, alongside, together with, in addition, additionally, likewise, co-written, co-founded, co-directed, jointly, "
    "co-author, co-founder, co-authored, co-designed, joint"
)
"""Words that say the value is one of several."""
APPROXIMATE: Final = phrase_set(
    "about, around, approximately, roughly, nearly, almost, some, circa, c., ca., or so, more than, over, at least, fewer than, less than, under, up to"
)
"""Words that make a value inexact."""
