"""The lake of Finlandia's composer: two stops before any search are refused, and a search is forced."""

from samples.story import Story
from worlds import answer, conflict, facts_from, search, stop, summary

STORY = Story(
    name="scripted-refused-stop-finlandia",
    question="On which lake does the birthplace of the composer of Finlandia lie?",
    script={
        "policy": [
            stop(reason="Finlandia is by Sibelius, who lived at Ainola, so the lake is Tuusula."),
            stop("e1", reason="Sibelius lived at Lake Tuusula; no search is needed for that."),
            search(
                "Hämeenlinna lake",
                reason="Sibelius was born in Hämeenlinna. Ainola on Lake Tuusula is where he lived later, so the lake "
                "of Hämeenlinna is still wanted.",
                missing=["lake of Hämeenlinna"],
            ),
            stop("e2", "e4", reason="The birthplace is Hämeenlinna, and it lies on Lake Vanajavesi."),
        ],
        "extract": [
            facts_from(
                (
                    "Finlandia, the tone poem",
                    "The composer, Jean Sibelius, revised the piece in the following year",
                    "The composer of Finlandia is Jean Sibelius.",
                ),
                (
                    "Jean Sibelius",
                    "Jean Sibelius, was born on 8 December 1865 in Hämeenlinna",
                    "Jean Sibelius was born on 8 December 1865 in Hämeenlinna.",
                ),
                (
                    "Ainola",
                    "It stands close to Lake Tuusula, in a colony of artists who had moved out of Helsinki",
                    "Ainola, the house of Jean Sibelius, stands close to Lake Tuusula.",
                ),
            ),
            facts_from(
                (
                    "Hämeenlinna",
                    "The town lies on Lake Vanajavesi, and its oldest park follows the shore",
                    "The town of Hämeenlinna lies on Lake Vanajavesi.",
                ),
            ),
        ],
        "conflict": [conflict()],
        "summarise": [
            summary(
                "The composer of Finlandia is Jean Sibelius, who was born in Hämeenlinna. His later house Ainola "
                "stands close to Lake Tuusula. Still missing: the lake on which Hämeenlinna lies."
            ),
            summary(
                "The composer of Finlandia is Jean Sibelius, who was born in Hämeenlinna. The town lies on Lake "
                "Vanajavesi. Nothing is missing."
            ),
        ],
        "answer": [
            answer(
                "Lake Vanajavesi",
                ("The composer of Finlandia is Jean Sibelius.", ["e1"]),
                ("Jean Sibelius was born in Hämeenlinna.", ["e2"]),
                ("Hämeenlinna lies on Lake Vanajavesi.", ["e4"]),
            )
        ],
    },
)
