"""Records the scripted samples anew: `python tests/samples/record.py`.

Run it after a change to the agent, the prompts, the guards or the corpus, and look at what git says has changed.
"""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2])]

from samples import clifton, finlandia, gothenburg, mary_celeste, north_pole, toy_symphony
from worlds import write_trace

STORIES = tuple(one.STORY for one in (north_pole, toy_symphony, gothenburg, clifton, mary_celeste, finlandia))


def main() -> None:
    for story in STORIES:
        trace = story.told()
        write_trace(trace, story.path)
        print(f"{story.path.name}: {len(trace.events)} events, {len(trace.calls)} calls, {trace.events[-1].status}")


if __name__ == "__main__":
    main()
