"""A town where people remember texts that break pages: `tests/dashboard/odd_texts.py:OddTexts`."""

import numpy as np

from memopolis import Agent, Block, Citizen, Settings, Society
from memopolis.agents.blocks.cognition import Think, UpdateAttitudes

ODD = {
    "script": "<script>alert(1)</script> the storm",
    "image": "<img src=x onerror=\"document.title='broken'\"> the storm",
    "template": "{{ 7 * 7 }} ${7 * 7} </textarea></title> &lt;b&gt; the storm costs $5 and $6",
    "markdown": "**bold** [link](javascript:alert(1)) `code` the storm",
    "long": "the storm " * 10_000,
    "one word": "x" * 3_000,
    "right to left": "العاصفة قادمة \u202e the storm \u202c שלום",
    "emoji": "👨‍👩‍👧‍👦 🏳️‍🌈 e\u0301\u0301\u0301 the storm 🌀",
    "lines": "first line of the storm\nsecond line\r\n\tthird line\n\n\n\nlast",
    "control": "the storm\x00 with NUL \x07 and \x1b[31m others",
}
"""Texts by what is odd about them."""

NAMES = ("<b>Ada</b>", "<script>alert(2)</script>", "שרה", "Eve\nof two lines", "")
"""Names of the people, over and over."""


class Odd(Block):
    """Remember one odd text after the other."""

    def act(self, agent: Agent) -> None:
        """Remember the text whose turn it is."""
        texts = list(ODD.values())
        text = texts[self.clock.tick % len(texts)]
        agent.memory.stream.add("disaster", text, importance=0.9, emotion="Fear")
        agent.memory.stream.add("<i>odd</i> topic", text, importance=0.5)


class OddTexts(Society[Settings]):
    """Citizens with odd names who remember odd texts."""

    def build(self, settings: Settings) -> None:
        """Let them live, remember, think and judge."""
        names = np.array([NAMES[row % len(NAMES)] for row in range(settings.agents)], dtype=object)
        self.populate(
            Citizen,
            settings.agents,
            blocks=[Odd(), UpdateAttitudes(), Think()],
            status={"name": names},
        )
