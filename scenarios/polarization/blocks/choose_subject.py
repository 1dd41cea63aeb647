"""Outlets and persuaders choose their subjects by remembered response."""

from functools import partial

import numpy as np

from memopolis.agents.experience import Experience
from memopolis.scenarios.polarization.blocks.follow_response import (
    SUBJECTS,
    TOPIC,
    response_texts,
)
from memopolis.scenarios.polarization.settings import SubjectSettings
from memopolis.sim.block import Block
from memopolis.sim.mind.mind import Answer, Decisions, Question
from memopolis.sim.population import Cohort

REASONS = (
    "both subjects are received alike",
    "gun laws did better",
    "background checks did better",
)
ALIKE = 0.02
"""Difference of mean responses up to which subjects are received alike."""


class ChooseSubject(Block):
    """Choose the share of stories or messages on background checks in the next step.

    Args:
        settings: Number of memories and their weight.
        usual: Share without any experience.
        patterns: Texts by which the population remembers responses.
    """

    reads = ("checks_share", "attitude")
    writes = ("checks_share",)

    def __init__(
        self, settings: SubjectSettings, *, usual: float, patterns: tuple[str, ...]
    ) -> None:
        self.settings = settings
        self.usual = usual
        self.patterns = patterns

    def perceive(self, authors: Cohort) -> Question:
        """Recall the response to each subject."""
        experience = Experience.recall_topic(authors, TOPIC, k=self.settings.memories)
        count = len(self.patterns)
        texts = response_texts(self.patterns)
        of_subject = [texts[n * count : (n + 1) * count] for n in range(len(SUBJECTS))]
        known = {
            "response": np.stack(
                [experience.mean(experience.reports(one)) for one in of_subject], axis=1
            ),
            "outlook": authors.status["attitude.outlook"],
        }
        rule = partial(rate_subject, usual=self.usual, weight=self.settings.weight)
        return Question(
            "subject", authors, "rating", rule, memories=experience.recalled, known=known,
            high=1.0,
        )  # fmt: skip

    def apply(self, authors: Cohort, decisions: Decisions) -> None:
        """Store the shares."""
        authors.status["checks_share"] = np.clip(np.nan_to_num(decisions.value), 0, 1)


def rate_subject(question: Question, *, usual: float, weight: float) -> Answer:
    """Return the share of background checks, a logit of responses: the rule of "subject".

    The response weighs more at a poor outlook: by a factor of 1.5 at 0, 1 at 5 and 0.5 at 10
    (illustrative).

    Source:
        Editors and campaigns follow what their audience rewarded: matching law as a logit of
        experienced payoffs (Camerer and Ho 1999, doi:10.1111/1468-0262.00054, recalled).
        Organizations change more if they do worse than they aspire to (Greve 1998,
        doi:10.2307/2393591, recalled).
    """
    response = question.known["response"]
    difference = response[:, 1] - response[:, 0]
    urgency = 1.5 - question.known["outlook"] / 10
    if not 0 < usual < 1:
        value = np.full(len(difference), usual)
    else:
        logit = np.log(usual / (1 - usual)) + weight * urgency * difference
        value = 1 / (1 + np.exp(-logit))
    reason = np.where(difference > ALIKE, 2, np.where(difference < -ALIKE, 1, 0))
    return Answer(value.astype(np.float32), reason=reason.astype(np.uint8), reasons=REASONS)
