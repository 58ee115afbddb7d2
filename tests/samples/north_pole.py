"""The first aircraft over the North Pole: a deep repair with everything around it.

The first stop is refused (nothing was retrieved). A second page repeats the wrong claim and becomes a second source.
A proposal is rejected by the confirmation. Search 4 refutes the claim: e1 is repaired at n1, n2 and n3 are pruned, a
second proposal of that search is passed over and its other facts are set aside.
"""

from samples.story import Story
from worlds import answer, confirm, conflict, facts_from, part, search, stop, summary

FIRST = "The first aircraft over the North Pole was the Josephine Ford of Byrd and Bennett in May 1926."
NORGE = "The first aircraft over the pole was the airship Norge, three days after Byrd's flight."

STORY = Story(
    name="scripted-repair-north-pole",
    question=(
        "In which town was the designer of the aircraft that was really the first to fly over the North Pole born?"
    ),
    script={
        "policy": [
            stop(
                reason="Byrd flew a Fokker over the pole in 1926, and Anthony Fokker was born in Blitar. "
                "I am confident of that.",
            ),
            search(
                "first aircraft to fly over the North Pole",
                reason="Nothing is known yet. The aircraft comes first, then its designer, then his birthplace.",
                missing=["first aircraft over the North Pole", "its designer", "birthplace of the designer"],
            ),
            search(
                "who designed the Josephine Ford aeroplane",
                reason="The aircraft was the Josephine Ford; its designer is the next step.",
                missing=["designer of the Josephine Ford", "birthplace of the designer"],
            ),
            search(
                "Anthony Fokker birthplace",
                reason="Fokker's company designed the aeroplane, so Anthony Fokker's birthplace is wanted.",
                missing=["birthplace of Anthony Fokker"],
            ),
            search(
                "Byrd notebook Ohio State University",
                reason="Blitar would be the answer, but the question says really: the claim may be disputed, and the "
                "notebook from the cockpit could show whether the pole was reached.",
                missing=["proof that the Josephine Ford reached the pole"],
            ),
            search(
                "airship Norge designer",
                reason="The notebook shows that Byrd turned round and that the Norge was first. "
                "Its designer is needed now.",
                missing=["designer of the Norge", "birthplace of the designer"],
            ),
            stop(
                "e1",
                "e11",
                "e12",
                reason="The Norge was first, Umberto Nobile designed it, and he was born in Lauro.",
            ),
        ],
        "extract": [
            facts_from(
                (
                    "First over the North Pole",
                    "The first aircraft to fly over the North Pole was the Josephine Ford, a three-engined aeroplane "
                    "in which Richard E. Byrd and Floyd Bennett started from Spitsbergen on 9 May 1926",
                    FIRST,
                ),
                (
                    "By snowmobile to the North Pole",
                    "arrived at the North Pole on 19 April 1968 with three companions on snowmobiles",
                    "Ralph Plaisted arrived at the North Pole by snowmobile on 19 April 1968.",
                ),
            ),
            facts_from(
                (
                    "The Josephine Ford",
                    "Anthony Fokker's company designed and built the type in the Netherlands",
                    "The Josephine Ford was designed and built by Anthony Fokker's company in the Netherlands.",
                ),
                (
                    "Conquest of the North Pole by air",
                    "an aeroplane was the first aircraft over the North Pole",
                    FIRST,
                ),
                (
                    "The airship Norge",
                    "From Spitsbergen the airship crossed the polar sea and came down at Teller in Alaska",
                    "In May 1926 the airship Norge crossed the polar sea from Spitsbergen to Teller in Alaska.",
                ),
            ),
            facts_from(
                (
                    "Anthony Fokker",
                    "was born on 6 April 1890 in Blitar on Java",
                    "Anthony Fokker was born on 6 April 1890 in Blitar on Java.",
                ),
                (
                    "The Josephine Ford",
                    "The notebook kept in the cockpit is held by the Ohio State University",
                    "The notebook kept in the cockpit of the Josephine Ford is held by the Ohio State University.",
                ),
            ),
            facts_from(
                (
                    "What Byrd's notebook shows",
                    "The first aircraft over the pole was therefore the airship Norge, three days later",
                    NORGE,
                ),
                (
                    "What Byrd's notebook shows",
                    "his plane turned round well over a hundred kilometres short and never reached the pole",
                    "Byrd's plane turned round well over a hundred kilometres short and never reached the pole.",
                ),
                (
                    "What Byrd's notebook shows",
                    "In 1996 the archivist Raimund Goerler came upon a notebook of Richard Byrd",
                    "The archivist Raimund Goerler came upon Byrd's notebook in 1996.",
                ),
            ),
            facts_from(
                (
                    "The airship Norge",
                    "designed by Umberto Nobile and built in Rome",
                    "The airship Norge was designed by Umberto Nobile.",
                ),
                (
                    "Umberto Nobile",
                    "Umberto Nobile, designer of airships, was born in 1885 in Lauro, a small town in the Italian "
                    "province of Avellino",
                    "Umberto Nobile was born in 1885 in Lauro, in the Italian province of Avellino.",
                ),
            ),
        ],
        "conflict": [
            conflict(
                (
                    "e1",
                    "e5",
                    "The stored fact gives the first flight over the pole to Byrd in May 1926; the new one has the "
                    "Norge cross the polar sea in the same month. Only one of them can have been first.",
                )
            ),
            conflict(),
            conflict(
                (
                    "e1",
                    "e8",
                    "Both name the first aircraft over the pole: the stored fact says the Josephine Ford, the new one "
                    "the Norge. There can be only one first.",
                ),
                (
                    "e1",
                    "e9",
                    "The stored fact says that Byrd and Bennett flew over the pole; the new one says that Byrd's "
                    "plane turned round before it. Both cannot be true.",
                ),
            ),
            conflict(),
        ],
        "confirm": [
            confirm(
                False,
                better="neither",
                question="Which aircraft was the first over the North Pole?",
                reason="The new fact says that the Norge crossed the polar sea in May 1926, but not on which day, nor "
                "whether it came first. Both facts can be true together.",
                entity=part("the first aircraft over the North Pole", "the airship Norge"),
                attribute=part("which aircraft it was", "the course of a flight"),
                time=part("May 1926", "May 1926"),
                value=part("the Josephine Ford", "not stated", same=False),
            ),
            confirm(
                question="Which aircraft was the first over the North Pole?",
                reason="Both facts are about the first aircraft over the North Pole in May 1926, which only one can "
                "have been. The new source has read the sextant readings in Byrd's own notebook and explains why the "
                "older claim, taken from his typed report, is wrong.",
                entity=part("the first aircraft over the North Pole", "the first aircraft over the pole"),
                attribute=part("which aircraft it was", "which aircraft it was"),
                scope=part("", ""),
                time=part("May 1926", "three days after Byrd's flight"),
                value=part("the Josephine Ford", "the airship Norge", same=False),
            ),
        ],
        "summarise": [
            summary(
                "The first aircraft over the North Pole was the Josephine Ford of Byrd and Bennett in May 1926. "
                "Still missing: who designed it, and where the designer was born."
            ),
            summary(
                "The first aircraft over the North Pole was the Josephine Ford, designed and built by Anthony "
                "Fokker's company in the Netherlands. Still missing: the birthplace of Anthony Fokker."
            ),
            summary(
                "The Josephine Ford, taken to be the first aircraft over the North Pole, was designed by Anthony "
                "Fokker's company. Anthony Fokker was born on 6 April 1890 in Blitar on Java. The notebook kept in "
                "the cockpit is held by the Ohio State University. Still missing: proof that the pole was reached."
            ),
            summary(
                "The first aircraft over the pole was the airship Norge, three days after Byrd's flight. "
                "Still missing: who designed the Norge, and where the designer was born."
            ),
            summary(
                "The first aircraft over the pole was the airship Norge. It was designed by Umberto Nobile, who was "
                "born in 1885 in Lauro, in the Italian province of Avellino. Nothing is missing."
            ),
        ],
        "answer": [
            answer(
                "Lauro",
                ("The first aircraft over the pole was the airship Norge.", ["e1"]),
                ("The Norge was designed by Umberto Nobile.", ["e11"]),
                ("Umberto Nobile was born in Lauro, in the province of Avellino.", ["e12"]),
            )
        ],
    },
)
