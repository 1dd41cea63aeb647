"""Persuade: persuaders send messages to the citizens assigned to them."""

import numpy as np
from numpy.typing import NDArray

from memopolis.scenarios.polarization import messages as words
from memopolis.scenarios.polarization.messages import Said
from memopolis.scenarios.polarization.remembering import hear
from memopolis.scenarios.polarization.settings import Arm, PersuasionSettings, TalkSettings
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort, Population

FOR, AGAINST = 0, 1
"""Rows of the two persuaders: one for stricter laws and one against."""


class Persuade(Block):
    """Let each citizen receive the day's messages of the persuader assigned.

    It is the citizens' block, before they judge, so that a message counts on its day.
    """

    reads = ("persuader",)
    writes = ("persuaded",)

    def __init__(
        self, settings: PersuasionSettings, talk: TalkSettings, persuaders: Population
    ) -> None:
        self.settings = settings
        self.talk = talk
        self.persuaders = persuaders
        self.messages = words.shipped()

    def step(self, citizens: Cohort) -> None:
        """Send the messages of the day."""
        who = citizens.status["persuader"]
        citizens.status["persuaded"] = np.where(who >= 0, self.settings.messages, 0).astype("i2")
        receiving = citizens.where(who >= 0)
        who = who[who >= 0]
        for n in range(self.settings.messages):
            self._send(receiving, who, n)
        sent = np.bincount(who, minlength=len(self.persuaders)) * self.settings.messages
        persuaders = self.persuaders.cohort()
        persuaders.status["sent"] = sent[persuaders.rows]

    def _send(self, citizens: Cohort, who: NDArray[np.int32], n: int) -> None:
        stance = self.persuaders.memory.columns.arrays["stance"][who]
        numbers = self.messages.numbers(self.society.texts, words.WROTE)
        said = self._said(citizens, stance, n)
        hear(
            self.population,
            citizens.rows,
            said,
            numbers[said.text],
            actor=self.persuaders.ids[who],
            importance=self.settings.importance,
            confidence=self.settings.trust,
        )

    def _said(self, citizens: Cohort, stance: NDArray[np.float32], n: int) -> Said:
        """What is written to each; persuaders of stance 0 write what has none."""
        topic = (self.chance.uniform(citizens, "topic", n) < self.talk.checks).astype(np.intp)
        noise = self.chance.normal(citizens, "noise", n)
        u = self.chance.uniform(citizens, "text", n)
        taken = words.stance_of(5 + 5 * stance, noise, spread=self.talk.noise)
        some, none = self.messages.say(taken, topic, u), self.messages.say_nothing(u)
        nothing = stance == 0
        return Said(
            np.where(nothing, none.topic, some.topic),
            np.where(nothing, none.stance, some.stance),
            np.where(nothing, none.text, some.text),
        )


def assigned(
    arm: Arm, attitude: NDArray[np.floating], order: NDArray[np.intp], u: NDArray[np.float64]
) -> NDArray[np.int32]:
    """Say whose messages each citizen gets.

    Args:
        arm: echo for the persuader of one's own side of 5, cross for the other, random and
            neutral for each of the two with equal shares, else none.
        attitude: Attitude at the start, in [0, 10], shape (agents,).
        order: Order of the citizens drawn by chance: the first half gets the first persuader.
        u: Uniform draws for those who stand on 5 exactly, shape (agents,).

    Returns:
        `FOR`, `AGAINST` or -1, shape (agents,).

    Source:
        Arms echo and cross: AgentSociety, arXiv:2502.08691; random and neutral: this project.
    """
    agents = len(attitude)
    if arm in ("echo", "cross"):
        supports = np.where(attitude == 5, u < 0.5, attitude > 5)
        like = np.where(supports, FOR, AGAINST)
        return (like if arm == "echo" else 1 - like).astype(np.int32)
    who = np.full(agents, -1, np.int32)
    if arm in ("random", "neutral"):
        who[order] = np.where(np.arange(agents) < agents / 2, FOR, AGAINST)
    return who
