"""The designer of the Clifton bridge: a value that comes back, and one that tries to.

Search 3 replaces Brunel by Sarah Guppy. Search 5 brings Brunel back, which is allowed, for its source is a new one.
Search 6 finds the page of search 3 again: Guppy may not come back on a source that was seen for her before.
Summaries are asked for beside the conflict check, so that each of the two repairs discards one.
"""

from dataclasses import replace

from samples.story import Story
from worlds import SETTINGS, answer, confirm, conflict, facts_from, part, search, stop, summary

BRUNEL = "The Clifton Suspension Bridge was designed by Isambard Kingdom Brunel."
GUPPY = "Sarah Guppy was the true designer of the Clifton Suspension Bridge."
OWN = "The Clifton Suspension Bridge is Brunel's own design."
PORTSMOUTH = "Isambard Kingdom Brunel was born in Portsmouth on 9 April 1806."

_born_in_portsmouth = facts_from(
    ("Isambard Kingdom Brunel", "Isambard Kingdom Brunel was born in Portsmouth on 9 April 1806", PORTSMOUTH),
)

STORY = Story(
    name="scripted-flip-back-clifton-bridge",
    question="In which city was the designer of the Clifton Suspension Bridge born?",
    settings=replace(SETTINGS, summary_call="beside"),
    script={
        "policy": [
            search(
                "designer of the Clifton Suspension Bridge",
                reason="The designer comes first, then the birthplace.",
                missing=["designer of the Clifton Suspension Bridge", "birthplace of the designer"],
            ),
            search(
                "Isambard Kingdom Brunel birthplace",
                reason="Brunel designed the bridge; his birthplace is next.",
                missing=["birthplace of Isambard Kingdom Brunel"],
            ),
            search(
                "Sarah Guppy inventor Bristol",
                reason="Portsmouth would be the answer. The page on Brunel names Sarah Guppy, an inventor and friend "
                "in Bristol; her part in the bridge should be checked.",
                missing=["part of Sarah Guppy in the bridge"],
            ),
            search(
                "Sarah Guppy birthplace",
                reason="Sarah Guppy is said to be the true designer, so her birthplace is wanted.",
                missing=["birthplace of Sarah Guppy"],
            ),
            search(
                "Sarah Guppy patent 1811 drawings examined",
                reason="The claim rests on drawings and a patent of 1811; somebody may have examined them.",
                missing=["proof that Sarah Guppy designed the bridge"],
            ),
            search(
                "Guppy forgotten designer Clifton bridge",
                reason="The trust calls it Brunel's own design. One more look at what speaks for Guppy.",
                missing=["evidence for Sarah Guppy"],
            ),
            search(
                "Isambard Kingdom Brunel birthplace",
                reason="Nothing new speaks for Guppy. Brunel's birthplace went with the branch that was pruned and is "
                "needed again.",
                missing=["birthplace of Isambard Kingdom Brunel"],
            ),
            stop("e1", "e9", reason="The bridge is Brunel's own design, and he was born in Portsmouth."),
        ],
        "extract": [
            facts_from(
                (
                    "Clifton Suspension Bridge",
                    "It was designed by Isambard Kingdom Brunel, who won the second of two competitions in 1831",
                    BRUNEL,
                ),
                (
                    "Opening of the Clifton Suspension Bridge",
                    "John Hawkshaw and William Henry Barlow completed the Clifton Suspension Bridge as a memorial to a "
                    "colleague",
                    "John Hawkshaw and William Henry Barlow completed the Clifton Suspension Bridge.",
                ),
            ),
            _born_in_portsmouth,
            facts_from(
                (
                    "Sarah Guppy, the forgotten engineer",
                    "Sarah Guppy, inventor and mother of six, was the true designer of the Clifton Suspension Bridge",
                    GUPPY,
                ),
            ),
            facts_from(
                (
                    "Women engineers to remember: Sarah Guppy",
                    "Sarah Guppy, born Sarah Beach in Birmingham in 1770",
                    "Sarah Guppy was born Sarah Beach in Birmingham in 1770.",
                ),
                (
                    "Sarah Guppy, the forgotten engineer",
                    "In 1811 she had patented a way of making safe piling for bridges",
                    "In 1811 Sarah Guppy had patented a way of making safe piling for bridges.",
                ),
            ),
            facts_from(
                (
                    "The patent of 1811 examined",
                    "The Clifton Suspension Bridge is Brunel's own design and not hers",
                    OWN,
                ),
            ),
            facts_from(
                (
                    "Sarah Guppy, the forgotten engineer",
                    "was the true designer of the Clifton Suspension Bridge",
                    "The designer of the Clifton Suspension Bridge was Sarah Guppy.",
                ),
            ),
            _born_in_portsmouth,
        ],
        "conflict": [
            conflict(),
            conflict(
                (
                    "e1",
                    "e4",
                    "Both name the designer of the Clifton Suspension Bridge: Brunel in the stored fact, Sarah Guppy "
                    "as the true designer in the new one.",
                )
            ),
            conflict(),
            conflict(
                (
                    "e1",
                    "e7",
                    "The stored fact calls Sarah Guppy the true designer, the new one calls the bridge Brunel's own "
                    "design. Both cannot be true.",
                )
            ),
            conflict(
                (
                    "e1",
                    "e8",
                    "The stored fact says that the bridge is Brunel's own design, the new one that Sarah Guppy was its "
                    "designer.",
                )
            ),
            conflict(),
        ],
        "confirm": [
            confirm(
                question="Who designed the Clifton Suspension Bridge?",
                reason="Same bridge and same role, and the new fact says outright who the true designer was. Its "
                "source knows the usual account and explains how the drawings came to Brunel.",
                entity=part("the Clifton Suspension Bridge", "the Clifton Suspension Bridge"),
                attribute=part("designer", "designer"),
                value=part("Isambard Kingdom Brunel", "Sarah Guppy", same=False),
            ),
            confirm(
                question="Who designed the Clifton Suspension Bridge?",
                reason="The fact returns to its first value, Brunel, but on a source that was not known before: "
                "historians of the trust went through the patent and the drawings and found nothing like Clifton in "
                "them. That is better than a tale told by friends.",
                entity=part("the Clifton Suspension Bridge", "the Clifton Suspension Bridge"),
                attribute=part("designer", "design"),
                value=part("Sarah Guppy", "Brunel", same=False),
            ),
        ],
        "summarise": [
            summary(
                "The Clifton Suspension Bridge was designed by Isambard Kingdom Brunel and completed by Hawkshaw and "
                "Barlow. Still missing: where Brunel was born."
            ),
            summary(
                "The Clifton Suspension Bridge was designed by Isambard Kingdom Brunel, who was born in Portsmouth on "
                "9 April 1806. Still missing: whether anybody else had a part in the design."
            ),
            summary(
                "The Clifton Suspension Bridge was designed by Isambard Kingdom Brunel, who was born in Portsmouth on "
                "9 April 1806. Another page holds Sarah Guppy to be its true designer. Still missing: who is right."
            ),
            summary(
                "Sarah Guppy was the true designer of the Clifton Suspension Bridge; Hawkshaw and Barlow completed it. "
                "Still missing: where Sarah Guppy was born."
            ),
            summary(
                "Sarah Guppy was the true designer of the Clifton Suspension Bridge. She was born Sarah Beach in "
                "Birmingham in 1770 and had patented a way of making safe piling in 1811. "
                "Still missing: proof of her part in the bridge."
            ),
            summary(
                "Sarah Guppy was the true designer of the Clifton Suspension Bridge, and was born Sarah Beach in "
                "Birmingham in 1770. A later page calls the bridge Brunel's own design. Still missing: who is right."
            ),
            summary(
                "The Clifton Suspension Bridge is Brunel's own design; Hawkshaw and Barlow completed it. "
                "Still missing: where Brunel was born."
            ),
            summary(
                "The Clifton Suspension Bridge is Brunel's own design. One page calls Sarah Guppy the designer, which "
                "is contested. Still missing: where Brunel was born."
            ),
            summary(
                "The Clifton Suspension Bridge is Brunel's own design. Isambard Kingdom Brunel was born in Portsmouth "
                "on 9 April 1806. Nothing is missing."
            ),
        ],
        "answer": [
            answer(
                "Portsmouth",
                ("The Clifton Suspension Bridge is Isambard Kingdom Brunel's own design.", ["e1"]),
                ("Brunel was born in Portsmouth.", ["e9"]),
            )
        ],
    },
)
