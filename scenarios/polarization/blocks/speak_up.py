"""Citizens decide whether to post, by the climate of opinion that they recall."""

from dataclasses import dataclass

import numpy as np

from memopolis.agents.block_settings import CognitionSettings
from memopolis.agents.experience import Experience, compute_mean_valence
from memopolis.scenarios.polarization.subjects import Subject
from memopolis.sim.arrays import Float64, Floats
from memopolis.sim.block import Block
from memopolis.sim.memory.retrieval.filter import Filter
from memopolis.sim.mind.mind import MINDS, Answer, Decisions, Outcome, Question
from memopolis.sim.population import Cohort

OPTIONS = ("stay silent", "post")
REASONS = ("recalls no voices, or as many on either side", "most recalled voices agree",
           "most recalled voices disagree")  # fmt: skip
AGREEMENT = "recalled_voices_minus_1_disagree_to_1_agree"
BY_RULE = [MINDS.index(name) for name in ("rule", "fallback")]
"""Minds whose decisions the draw decides."""


@dataclass(eq=False, repr=False)
class SpeakUp(Block):
    """Let citizens decide whether to post today, by how many recalled voices agree with them.

    Citizens who would stay silent even if all recalled voices agreed are not asked.
    """

    reads = ("activity", "attitude")
    writes = ("posted",)

    settings: CognitionSettings
    weight: float
    subject: Subject

    def __post_init__(self) -> None:
        # Recalled voices are compared with the first attitude, the subject of most posts.
        self.attitude = self.subject.attitudes[0]
        self.topics = (self.attitude.topic,)

    def who(self, citizens: Cohort) -> Cohort:
        """Select the citizens that may post, and reset what was posted yesterday."""
        citizens["posted"] = 0
        return self.chance.some(citizens, 2 * citizens["activity"], "post")

    def perceive(self, citizens: Cohort) -> Question:
        """Recall what was read and heard on the subject, and who agreed."""
        voices = Experience.recall(
            citizens,
            self.attitude.query,
            k=self.settings.memories,
            profile=self.settings.profile,
            where=Filter(topic=self.attitude.topic),
        )
        side = np.sign(citizens[f"attitude.{self.attitude.name}"] - 5)
        agreement = compute_mean_valence(
            np.sign(voices.column("valence")) * side[:, None],
            voices.weights,
            voices.column("valence") != 0,
        )
        probability = compute_post_probability(citizens["activity"], agreement, weight=self.weight)
        drawn = np.stack([probability, self.chance.uniform(citizens, "post")], axis=1)
        known = {AGREEMENT: agreement, "drawn": drawn}
        return voices.ask_choice(
            "speak_up", choose_to_post, known, OPTIONS, about=self.attitude.name
        )

    def apply(self, citizens: Cohort, decisions: Decisions) -> Outcome:
        """Mark the citizens that post."""
        citizens["posted"] = decisions.value > 0
        ruled = np.isin(decisions.how, BY_RULE)[:, None]
        probability, draw = np.where(ruled, decisions.question.known["drawn"], np.nan).T
        return Outcome(probability=probability, draw=draw)


def choose_to_post(question: Question) -> Answer:
    """Post if the draw is below the probability: the rule of "speak_up"."""
    probability, draw = question.known["drawn"].T
    agreement = question.known[AGREEMENT]
    reason = np.where(agreement > 0, 1, np.where(agreement < 0, 2, 0)).astype(np.uint8)
    return Answer((draw < probability).astype(np.float32), reason=reason, reasons=REASONS)


def compute_post_probability(activity: Floats, agreement: Floats, *, weight: float) -> Float64:
    """Compute the probability of posting: 2 activity / (1 + exp(-weight agreement)), at most 1.

    `agreement` is the share of recalled voices that agree minus that of those that disagree.

    Source: Spiral of silence: people speak up more readily if they perceive support for their
    opinion (Noelle-Neumann 1974, doi:10.1111/j.1460-2466.1974.tb00367.x, recalled). Meta-analyses
    find small effects (correlations of .05: Glynn, Hayes, Shanahan 1997; .10: Matthes, Knoll, von
    Sikorski 2018; both recalled). The logistic form is this project's, illustrative.
    """
    willing = 1 / (1 + np.exp(-weight * agreement.astype(np.float64)))
    return np.asarray(np.minimum(2 * activity * willing, 1))
