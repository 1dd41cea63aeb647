"""Persuaders send messages to the citizens assigned to them."""

from dataclasses import dataclass

import numpy as np

from memopolis.agents.conversation import remember_heard
from memopolis.scenarios.polarization import messages as words
from memopolis.scenarios.polarization.messages import GROUNDS, Draft, Statements
from memopolis.scenarios.polarization.settings import (
    Arm,
    MediaSettings,
    PersuasionSettings,
    TalkSettings,
)
from memopolis.scenarios.polarization.subjects import Subject
from memopolis.sim.arrays import Float64, Floats, Int32, Intp
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort, Population

FOR, AGAINST = 0, 1  # rows of the persuaders for and against stricter laws


@dataclass(eq=False, repr=False)
class Persuade(Block):
    """Let citizens receive the messages of their persuader, which take effect on the same day."""

    reads = ("persuader", "side")
    writes = ("persuaded",)

    settings: PersuasionSettings
    talk: TalkSettings
    media: MediaSettings
    persuaders: Population
    subject: Subject

    def step(self, citizens: Cohort) -> None:
        """Send the messages of the day."""
        persuader = citizens["persuader"]
        count = np.where(persuader >= 0, self.settings.messages, 0)
        citizens["persuaded"] = count.astype("i2")
        receiving = citizens.where(persuader >= 0)
        persuader = persuader[persuader >= 0]
        for n in range(self.settings.messages):
            self._send(receiving, persuader, n)
        sent = np.bincount(persuader, minlength=len(self.persuaders)) * self.settings.messages
        persuaders = self.persuaders.cohort()
        persuaders["sent"] = sent[persuaders.rows]

    def _send(self, citizens: Cohort, persuader: Int32, n: int) -> None:
        statements = self._write_messages(citizens, persuader, n)
        agree = self.persuaders["side"][persuader] * citizens["side"]
        trust = self.settings.trust * np.where(agree < 0, self.media.trust_opposed, 1)
        remember_heard(
            citizens,
            statements.remarks(self.settings.importance, trust),
            words.WROTE,
            actor=self.persuaders.ids[persuader],
        )

    def _write_messages(self, citizens: Cohort, persuader: Int32, n: int) -> Statements:
        """Compose the message to each citizen; persuaders with stance 0 write neutral messages."""
        senders, texts = self.persuaders, self.society.texts
        stance = senders["stance"][persuader]
        checks = senders["checks_share"][persuader]
        topic = (self.chance.uniform(citizens, "topic", n) < checks).astype(np.intp)
        noise = self.chance.normal(citizens, "noise", n)
        # Draws of different messages have different numbers.
        u = self.chance.uniforms(citizens, words.DRAWS, "text", first=n * words.DRAWS)
        if not stance.any():
            return words.write_neutral(texts, u[:, 0], self.subject)
        outlook = senders["attitude.outlook"][persuader]
        stance = words.draw_stance(5 + 5 * stance, noise, spread=self.talk.noise)
        return words.write_claims(
            texts,
            Draft(topic, stance, u, self.subject),
            opening=words.number_outlook("persuader", outlook),
            ground=np.full(len(citizens), GROUNDS.index("appeal")),
        )


def assign_persuaders(arm: Arm, attitude: Floats, order: Intp, u: Float64) -> Int32:
    """Assign `FOR`, `AGAINST` or none, -1, to each citizen, shape (agents,).

    In the arm echo, persuaders are of the citizen's own side of 5, drawn by `u` at 5; in cross, of
    the other; in random and neutral, one for the first half of the random order, one for the rest.

    Source: Arms echo and cross: AgentSociety, arXiv:2502.08691; random and neutral: this project.
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
