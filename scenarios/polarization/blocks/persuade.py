"""Persuaders send messages to the citizens assigned to them."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from memopolis.scenarios.polarization import messages as words
from memopolis.scenarios.polarization.messages import Messages, Statements
from memopolis.scenarios.polarization.remembering import remember_messages
from memopolis.scenarios.polarization.settings import Arm, PersuasionSettings, TalkSettings
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort, Population

FOR, AGAINST = 0, 1
"""Rows of the persuaders for and against stricter laws."""


@dataclass(eq=False, repr=False)
class Persuade(Block):
    """Let citizens receive the daily messages of their persuader.

    The block runs before attitude updates, so messages take effect on the same day.
    """

    reads = ("persuader",)
    writes = ("persuaded",)

    settings: PersuasionSettings
    talk: TalkSettings
    persuaders: Population
    messages: Messages = field(default_factory=words.read_messages, init=False)

    def step(self, citizens: Cohort) -> None:
        """Send the messages of the day."""
        persuader = citizens.status["persuader"]
        count = np.where(persuader >= 0, self.settings.messages, 0)
        citizens.status["persuaded"] = count.astype("i2")
        receiving = citizens.where(persuader >= 0)
        persuader = persuader[persuader >= 0]
        for n in range(self.settings.messages):
            self._send(receiving, persuader, n)
        sent = np.bincount(persuader, minlength=len(self.persuaders)) * self.settings.messages
        persuaders = self.persuaders.cohort()
        persuaders.status["sent"] = sent[persuaders.rows]

    def _send(self, citizens: Cohort, persuader: NDArray[np.int32], n: int) -> None:
        stance = self.persuaders.memory.columns.arrays["stance"][persuader]
        numbers = self.messages.numbers(self.society.texts, words.WROTE)
        statements = self._draw_statements(citizens, stance, n)
        remember_messages(
            self.population,
            citizens.rows,
            statements,
            numbers[statements.text],
            actor=self.persuaders.ids[persuader],
            importance=self.settings.importance,
            confidence=self.settings.trust,
        )

    def _draw_statements(self, citizens: Cohort, stance: NDArray[np.float32], n: int) -> Statements:
        """Draw the message to each citizen; persuaders with stance 0 write neutral messages."""
        topic = (self.chance.uniform(citizens, "topic", n) < self.talk.checks).astype(np.intp)
        noise = self.chance.normal(citizens, "noise", n)
        u = self.chance.uniform(citizens, "text", n)
        noisy = words.draw_stance(5 + 5 * stance, noise, spread=self.talk.noise)
        sided, neutral = self.messages.write(noisy, topic, u), self.messages.write_neutral(u)
        is_neutral = stance == 0
        return Statements(
            np.where(is_neutral, neutral.topic, sided.topic),
            np.where(is_neutral, neutral.stance, sided.stance),
            np.where(is_neutral, neutral.text, sided.text),
        )


def assign_persuaders(
    arm: Arm, attitude: NDArray[np.floating], order: NDArray[np.intp], u: NDArray[np.float64]
) -> NDArray[np.int32]:
    """Assign a persuader to each citizen.

    Args:
        arm: echo for the persuader of the citizen's own side of 5, cross for the other, random
            and neutral for equal shares of both, others for none.
        attitude: Initial attitude, in [0, 10], shape (agents,).
        order: Random order of the citizens: the first half gets the first persuader.
        u: Uniform draws for attitudes of exactly 5, shape (agents,).

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
    persuader = np.full(agents, -1, np.int32)
    if arm in ("random", "neutral"):
        persuader[order] = np.where(np.arange(agents) < agents / 2, FOR, AGAINST)
    return persuader
