"""The population of Gothenburg: one proposal rejected by the confirmation, one by a guard.

Search 3 finds a newer report that says it corrects the picture; it speaks of thirteen authorities, not of the
municipality, and the confirmation sees it. An old page gives the figure of 1990: the confirmation falls for it, and
the guard that compares the years objects. The tree expands, and the fact is marked as contested twice.
"""

from samples.story import Story
from worlds import answer, confirm, conflict, facts_from, part, search, stop, summary

STORY = Story(
    name="scripted-rejected-gothenburg",
    question="What was the population, at the end of 2020, of the municipality in which the first Volvo was built?",
    script={
        "policy": [
            search(
                "where was the first Volvo built",
                reason="The municipality has to be known before its population.",
                missing=["municipality of the first Volvo", "its population at the end of 2020"],
            ),
            search(
                "population of Gothenburg municipality 2020",
                reason="The first Volvo was built in Gothenburg; the population of the municipality is wanted.",
                missing=["population of Gothenburg at the end of 2020"],
            ),
            search(
                "Gothenburg number of people living end of 2020",
                reason="583,056 is one source's figure. A second source would make it sure.",
                missing=["a second source for the population"],
            ),
            stop(
                "e1",
                "e2",
                reason="The figure for the municipality stands; the regional figure is about a larger area.",
            ),
        ],
        "extract": [
            facts_from(
                (
                    "The first Volvo",
                    "left the factory on the island of Hisingen in Gothenburg on 14 April 1927",
                    "The first Volvo was built in Gothenburg and left the factory on 14 April 1927.",
                ),
            ),
            facts_from(
                (
                    "Population of Gothenburg",
                    "At the end of 2020 the municipality of Gothenburg had a population of 583,056",
                    "At the end of 2020 the municipality of Gothenburg had a population of 583,056.",
                ),
            ),
            facts_from(
                (
                    "Thirteen authorities, one labour market",
                    "more than one million people were living in Greater Gothenburg when 2020 ended",
                    "More than one million people were living in Greater Gothenburg when 2020 ended.",
                ),
                (
                    "Thirteen authorities, one labour market",
                    "takes in all thirteen local authorities, from Kungälv in the north to Kungsbacka in the south",
                    "Greater Gothenburg takes in thirteen local authorities, from Kungälv to Kungsbacka.",
                ),
                (
                    "Gothenburg thirty years ago",
                    "In 1990 the municipality of Gothenburg had a population of about 433,000",
                    "In 1990 the municipality of Gothenburg had a population of about 433,000.",
                ),
            ),
        ],
        "conflict": [
            conflict(),
            conflict(
                (
                    "e2",
                    "e3",
                    "Both give the number of people in Gothenburg at the end of 2020: 583,056 in the stored fact, more "
                    "than one million in the new one, from a newer report that says it corrects the picture.",
                ),
                (
                    "e2",
                    "e5",
                    "Both give the population of the municipality of Gothenburg: 583,056 in the stored fact, about "
                    "433,000 in the new one.",
                ),
            ),
        ],
        "confirm": [
            confirm(
                False,
                better="stored",
                question="What was the population of the municipality of Gothenburg at the end of 2020?",
                reason="The date is the same but the area is not: the stored figure is for the municipality, the new "
                "one for Greater Gothenburg with thirteen local authorities. Both can be true, and the question of the "
                "search asks for the municipality.",
                entity=part("the municipality of Gothenburg", "Greater Gothenburg", same=False),
                attribute=part("population", "people living there"),
                scope=part("the municipality", "thirteen local authorities", same=False),
                time=part("the end of 2020", "when 2020 ended"),
                value=part("583,056", "not stated", same=False),
            ),
            confirm(
                question="What is the population of the municipality of Gothenburg?",
                reason="Both facts give the population of the same municipality, and the figures differ by a hundred "
                "and fifty thousand. They cannot both be right.",
                entity=part("the municipality of Gothenburg", "the municipality of Gothenburg"),
                attribute=part("population", "population"),
                value=part("583,056", "about 433,000", same=False),
            ),
        ],
        "summarise": [
            summary(
                "The first Volvo was built in Gothenburg in April 1927. "
                "Still missing: the population of the municipality at the end of 2020."
            ),
            summary(
                "The first Volvo was built in Gothenburg. At the end of 2020 the municipality of Gothenburg had a "
                "population of 583,056. Still missing: a check of the figure."
            ),
            summary(
                "The first Volvo was built in Gothenburg. At the end of 2020 the municipality of Gothenburg had a "
                "population of 583,056; in 1990 it had about 433,000. Greater Gothenburg, with thirteen local "
                "authorities, had more than one million people, which is another area. Nothing is missing."
            ),
        ],
        "answer": [
            answer(
                "583,056",
                ("The first Volvo was built in Gothenburg.", ["e1"]),
                ("At the end of 2020 the municipality of Gothenburg had a population of 583,056.", ["e2"]),
            )
        ],
    },
)
