"""The figurehead of the Mary Celeste: no page answers the question, and eight searches are spent.

Search 5 finds the page of search 1 again, search 6 repeats a query, search 7 brings nothing of use. The answer
says what the evidence does not settle.
"""

from samples.story import Story
from worlds import answer, conflict, facts_from, search, summary

NANNIE = "The first figurehead of the Cutty Sark, the witch Nannie, came from the workshop of the Hellyer family."

STORY = Story(
    name="scripted-budget-mary-celeste",
    question="Who carved the figurehead of the Mary Celeste?",
    script={
        "policy": [
            search(
                "figurehead of the Mary Celeste carver",
                reason="The carver is asked for; nothing is known yet.",
                missing=["carver of the figurehead of the Mary Celeste"],
            ),
            search(
                "Amazon Spencer's Island builders",
                reason="The carver may have worked where the ship was built.",
                missing=["where the Mary Celeste was built", "who worked on her bow"],
            ),
            search(
                "Joshua Dewis shipbuilder carver",
                reason="Joshua Dewis supervised the builders; a page on him may name the carver.",
                missing=["who carved for Joshua Dewis"],
            ),
            search(
                "Mary Celeste bow",
                reason="The figurehead sat at the bow, so a description of the bow may help.",
                missing=["description of the bow of the Mary Celeste"],
            ),
            search(
                "carvers of figureheads",
                reason="The bow was examined for damage only. A page on carvers may list their ships.",
                missing=["carver of the figurehead of the Mary Celeste"],
            ),
            search(
                "Mary Celeste Bow",
                reason="The court described the bow; perhaps something about the figurehead was overlooked.",
                missing=["carver of the figurehead of the Mary Celeste"],
            ),
            search(
                "Mary Celeste repairs 1867",
                reason="The ship was repaired after a storm; a new figurehead may have been carved then.",
                missing=["carver of a new figurehead in 1867"],
            ),
            search(
                "Mary Celeste last captain",
                reason="An inventory from her last years may mention the figurehead.",
                missing=["inventory of the Mary Celeste"],
            ),
            search(
                "Nova Scotia ship carvers 1861",
                reason="No page names the carver so far. Carvers in Nova Scotia are left to try.",
                missing=["carver of the figurehead of the Mary Celeste"],
            ),
        ],
        "extract": [
            facts_from(
                (
                    "Carvers of figureheads",
                    "the first figurehead of the Cutty Sark, the witch Nannie with a grey mare's tail in her hand, "
                    "came from that workshop",
                    NANNIE,
                ),
                (
                    "Carvers of figureheads",
                    "Small trading vessels were often given no more than a scroll",
                    "Small trading vessels were often given no more than a scroll instead of a figurehead.",
                ),
            ),
            facts_from(
                (
                    "Amazon of Spencer's Island",
                    "The ship that became the Mary Celeste was launched in 1861 at Spencer's Island in Nova Scotia "
                    "under the name Amazon",
                    "The Mary Celeste was launched in 1861 at Spencer's Island in Nova Scotia under the name Amazon.",
                ),
                (
                    "Amazon of Spencer's Island",
                    "Joshua Dewis supervised the builders",
                    "Joshua Dewis supervised the builders of the ship that became the Mary Celeste.",
                ),
            ),
            facts_from(
                (
                    "Amazon of Spencer's Island",
                    "In 1867 a storm drove her ashore, and American owners who repaired her gave her the new name",
                    "American owners repaired the ship after a storm of 1867 and named her Mary Celeste.",
                ),
            ),
            facts_from(
                (
                    "The Gibraltar inquiry on the Mary Celeste",
                    "Of marks on the bow of the Mary Celeste he made much; experts thought them natural splinters",
                    "Experts thought the marks on the bow of the Mary Celeste natural splinters.",
                ),
            ),
            facts_from(
                (
                    "Carvers of figureheads",
                    "the first figurehead of the Cutty Sark, the witch Nannie with a grey mare's tail in her hand, "
                    "came from that workshop",
                    NANNIE,
                ),
                (
                    "The warship Vasa",
                    "A gilded lion served as her figurehead",
                    "A gilded lion served as the figurehead of the warship Vasa.",
                ),
            ),
            facts_from(),
            facts_from(
                (
                    "End of the Mary Celeste",
                    "Her last captain, Gilman Parker, ran the Mary Celeste on the Rochelois reef off Haiti in January "
                    "1885",
                    "Gilman Parker ran the Mary Celeste on the Rochelois reef off Haiti in January 1885.",
                ),
            ),
        ],
        "conflict": [conflict(), conflict(), conflict(), conflict(), conflict()],
        "summarise": [
            summary(
                "Figureheads were carved in shops near the yards; the Hellyer family carved that of the Cutty Sark. "
                "Small trading vessels often had a scroll only. Still missing: who carved for the Mary Celeste."
            ),
            summary(
                "The Mary Celeste was launched in 1861 at Spencer's Island in Nova Scotia under the name Amazon; "
                "Joshua Dewis supervised the builders. Small trading vessels often had a scroll only. "
                "Still missing: who carved her figurehead."
            ),
            summary(
                "The Mary Celeste was launched in 1861 at Spencer's Island as Amazon under Joshua Dewis, and was "
                "repaired and renamed by American owners after a storm of 1867. "
                "Still missing: who carved her figurehead."
            ),
            summary(
                "The Mary Celeste was launched in 1861 at Spencer's Island as Amazon and renamed after a storm of "
                "1867. Marks on her bow were natural splinters. Still missing: who carved her figurehead, if any."
            ),
            summary(
                "The Mary Celeste was launched in 1861 at Spencer's Island as Amazon and renamed after a storm of "
                "1867. The figurehead of the warship Vasa was a gilded lion. Still missing: who carved that of the "
                "Mary Celeste."
            ),
            summary(
                "The Mary Celeste was launched in 1861 at Spencer's Island as Amazon and lost off Haiti in January "
                "1885 under Gilman Parker. No page describes her figurehead. Still missing: the carver."
            ),
        ],
        "answer": [
            answer(
                "not known from the evidence",
                (
                    "The Mary Celeste was launched in 1861 at Spencer's Island under the name Amazon, with Joshua "
                    "Dewis supervising the builders.",
                    ["e3", "e4"],
                ),
                ("Small trading vessels often had no more than a scroll.", ["e2"]),
                (
                    "The figurehead of the Hellyer workshop that is known from the evidence was for the Cutty Sark.",
                    ["e1"],
                ),
            )
        ],
    },
)
