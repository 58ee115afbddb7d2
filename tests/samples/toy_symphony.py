"""The composer of the Toy Symphony: one fact is repaired twice, first to another wrong value, then to the right one.

Search 3 finds another work of the same name; the confirmation rejects that proposal. Search 4 brings Leopold Mozart
(n2 and n3 are pruned), search 6 Edmund Angerer (n4 is pruned), and the confirmation then reads the history.
"""

from samples.story import Story
from worlds import answer, confirm, conflict, facts_from, part, search, stop, summary

HAYDN = "The composer of the Toy Symphony is Joseph Haydn."
LEOPOLD = "The composer of the Toy Symphony is Leopold Mozart, father of Wolfgang."
ANGERER = "The composer of the Toy Symphony is Edmund Angerer."

STORY = Story(
    name="scripted-two-repairs-toy-symphony",
    question="In which town was the person now held to be the composer of the Toy Symphony born?",
    script={
        "policy": [
            search(
                "composer of the Toy Symphony",
                reason="The composer comes first, then his birthplace.",
                missing=["composer of the Toy Symphony", "birthplace of the composer"],
            ),
            search(
                "Joseph Haydn birthplace",
                reason="The evidence names Joseph Haydn as the composer; his birthplace is next.",
                missing=["birthplace of Joseph Haydn"],
            ),
            search(
                "Toy Symphony other composer",
                reason="Rohrau would be the answer, but the question says now held to be: the attribution may have "
                "changed since 1949.",
                missing=["present attribution of the Toy Symphony"],
            ),
            search(
                "Toy Symphony manuscript",
                reason="The work by Arnold is another one. Old copies of the music may name the author.",
                missing=["manuscripts of the Toy Symphony"],
            ),
            search(
                "Leopold Mozart birthplace",
                reason="A manuscript names Leopold Mozart, so his birthplace is wanted.",
                missing=["birthplace of Leopold Mozart"],
            ),
            search(
                "Toy Symphony author older source",
                reason="The find is of 1952 and a single copy. An older source would settle the attribution.",
                missing=["older source of the Toy Symphony"],
            ),
            search(
                "Edmund Angerer born",
                reason="The oldest source names Edmund Angerer; his birthplace is next.",
                missing=["birthplace of Edmund Angerer"],
            ),
            stop("e1", "e10", reason="Angerer is now held to be the composer, and his birthplace is known."),
        ],
        "extract": [
            facts_from(
                ("Haydn's Toy Symphony", "The composer of the Toy Symphony is Joseph Haydn", HAYDN),
                ("A Toy Symphony for Christmas", "the Toy Symphony of its composer Joseph Haydn", HAYDN),
            ),
            facts_from(
                (
                    "Joseph Haydn",
                    "Joseph Haydn was born in 1732 in Rohrau, where his father made wheels",
                    "Joseph Haydn was born in 1732 in Rohrau.",
                ),
                (
                    "Rohrau",
                    "Rohrau is a market village in Lower Austria",
                    "Rohrau is a market village in Lower Austria.",
                ),
            ),
            facts_from(
                (
                    "Malcolm Arnold's Toy Symphony",
                    "The English composer Malcolm Arnold wrote a work of this name himself, opus 62, in 1957",
                    "The English composer Malcolm Arnold wrote a Toy Symphony in 1957.",
                ),
            ),
            facts_from(
                (
                    "A cassation in the Bavarian State Library",
                    "its author is Leopold Mozart, father of Wolfgang",
                    LEOPOLD,
                ),
            ),
            facts_from(
                (
                    "Leopold Mozart",
                    "Leopold Mozart was born in Augsburg in 1719, the son of a bookbinder",
                    "Leopold Mozart was born in Augsburg in 1719.",
                ),
            ),
            facts_from(
                (
                    "A discovery at Stams",
                    "its author is neither Haydn nor Mozart's father but this Edmund Angerer",
                    ANGERER,
                ),
                (
                    "A discovery at Stams",
                    "Colleagues regard this as the best-supported attribution, though not as the last word",
                    "Colleagues regard the attribution to Edmund Angerer as the best-supported one.",
                ),
            ),
            facts_from(
                (
                    "Edmund Angerer",
                    "Edmund Angerer was born on 24 May 1740 in St. Johann in Tirol",
                    "Edmund Angerer was born on 24 May 1740 in St. Johann in Tirol.",
                ),
            ),
        ],
        "conflict": [
            conflict(),
            conflict(
                (
                    "e1",
                    "e5",
                    "The stored fact says that Haydn composed the Toy Symphony, the new one that Malcolm Arnold wrote "
                    "a Toy Symphony. If it is the same work, both cannot be true.",
                )
            ),
            conflict(
                (
                    "e1",
                    "e6",
                    "Both name the composer of the Toy Symphony: Joseph Haydn in the stored fact, Leopold Mozart in "
                    "the new one. A work of this kind has one composer.",
                )
            ),
            conflict(),
            conflict(
                (
                    "e1",
                    "e8",
                    "The stored fact names Leopold Mozart as the composer, the new one Edmund Angerer. Only one of "
                    "them can have written it.",
                )
            ),
            conflict(),
        ],
        "confirm": [
            confirm(
                False,
                better="neither",
                question="Who composed the Toy Symphony?",
                reason="Arnold wrote his own work of this name in 1957, eight years after the stored fact was printed. "
                "The two works share a title only, so both facts can be true.",
                entity=part(
                    "the Toy Symphony for which toys of Berchtesgaden were bought", "a work of 1957", same=False
                ),
                attribute=part("composer", "composer"),
                time=part("", "1957"),
                value=part("Joseph Haydn", "not stated", same=False),
            ),
            confirm(
                question="Who composed the Toy Symphony?",
                reason="Both facts are about the composer of the same work, and there is only one. The new source has "
                "found a manuscript with the music of the symphony that bears Leopold Mozart's name, while the stored "
                "fact gives no source for Haydn.",
                entity=part("the Toy Symphony", "the Toy Symphony"),
                attribute=part("composer", "author"),
                value=part("Joseph Haydn", "Leopold Mozart", same=False),
            ),
            confirm(
                question="Who composed the Toy Symphony?",
                reason="The same work and the same attribute, and the values exclude each other. This is no return to "
                "Haydn: the copy at Stams is older than any other source, the manuscript of 1952 included, and names "
                "Edmund Angerer.",
                entity=part("the Toy Symphony", "the Toy Symphony"),
                attribute=part("composer", "composer"),
                value=part("Leopold Mozart", "Edmund Angerer", same=False),
            ),
        ],
        "summarise": [
            summary("The composer of the Toy Symphony is Joseph Haydn. Still missing: where Haydn was born."),
            summary(
                "The composer of the Toy Symphony is Joseph Haydn, who was born in 1732 in Rohrau, a market village "
                "in Lower Austria. Still missing: whether the attribution still holds."
            ),
            summary(
                "The composer of the Toy Symphony is Joseph Haydn, born in 1732 in Rohrau in Lower Austria. Malcolm "
                "Arnold wrote another Toy Symphony in 1957. Still missing: whether the attribution still holds."
            ),
            summary(
                "The composer of the Toy Symphony is Leopold Mozart, father of Wolfgang. "
                "Still missing: the town in which he was born."
            ),
            summary(
                "The composer of the Toy Symphony is Leopold Mozart, born in Augsburg in 1719. "
                "Still missing: whether an older source agrees."
            ),
            summary(
                "The composer of the Toy Symphony is Edmund Angerer. Still missing: the town in which he was born."
            ),
            summary(
                "The composer of the Toy Symphony is Edmund Angerer, who was born on 24 May 1740 in St. Johann in "
                "Tirol. Nothing is missing."
            ),
        ],
        "answer": [
            answer(
                "St. Johann in Tirol",
                ("The Toy Symphony is now held to be by Edmund Angerer.", ["e1"]),
                ("Edmund Angerer was born in St. Johann in Tirol.", ["e10"]),
            )
        ],
    },
)
