"""Outlets and persuaders remember the response to their messages, and choose subjects."""

from functools import partial

import numpy as np

from memopolis.agents.experience import Experience
from memopolis.agents.thoughts import find_sign
from memopolis.scenarios.polarization.settings import SubjectSettings
from memopolis.scenarios.polarization.subjects import Subject
from memopolis.sim.block import Block
from memopolis.sim.mind.mind import Answer, Decisions, Question
from memopolis.sim.population import Cohort, Population

TOPIC = "response"
USUAL = 0.2
"""Share of the error by which an outlet's usual number of readers adapts in a day
(illustrative)."""
EFFECT = 0.02
"""Mean change of attitude in a day, in points, that is a full success of a persuader
(illustrative)."""

READ = (
    "Our story on {subject} was read as often as usual.",
    "Our story on {subject} was read by many.",
    "Our story on {subject} was read by few.",
)
PERSUADED = (
    "Our messages on {subject} changed little.",
    "Our messages on {subject} won people over.",
    "Our messages on {subject} put people off.",
)


def response_texts(patterns: tuple[str, ...], names: tuple[str, ...]) -> list[str]:
    """Return the texts of all topics and signs, by the names of the topics: topic by topic."""
    return [one.replace("{subject}", name) for name in names for one in patterns]


class FollowReaders(Block):
    """Let outlets remember how many readers the story of the day had."""

    reads = ("readers", "usual_readers", "subject", "stories")
    writes = ("usual_readers",)

    def __init__(self, subject: Subject) -> None:
        self.subject = subject

    def step(self, outlets: Cohort) -> None:
        """Compare today's readers with usual ones."""
        outlets = outlets.where(outlets["stories"] > 0)
        if not len(outlets):
            return
        readers, usual = outlets["readers"].astype(np.float32), outlets["usual_readers"]
        known = usual >= 0
        valence = np.where(known, np.log((readers + 1) / (np.maximum(usual, 0) + 1)), 0)
        valence = np.clip(valence, -1, 1).astype(np.float32)
        numbers = self.society.texts.intern_many(response_texts(READ, self.subject.names)).reshape(
            -1, len(READ)
        )
        outlets.stream.add(
            TOPIC,
            numbers[outlets["subject"].astype(np.intp), find_sign(valence)],
            importance=0.3 + 0.5 * np.abs(valence),
            valence=valence,
        )
        adapted = usual + np.float32(USUAL) * (readers - usual)
        outlets["usual_readers"] = np.where(known, adapted, readers)


class FollowEffect(Block):
    """Let persuaders remember how the attitudes of their citizens changed.

    The state `before` has their mean attitudes, NaN before the first step, (subjects, persuaders).
    """

    reads = ("side", "sent")
    state = ("before",)

    def __init__(self, citizens: Population, subject: Subject) -> None:
        self.citizens = citizens
        self.subject = subject

    def setup(self) -> None:
        """Start without an earlier observation."""
        shape = (len(self.subject.topics), len(self.population))
        self.before = np.full(shape, np.nan)

    def step(self, persuaders: Cohort) -> None:
        """Compare the mean attitudes of the assigned citizens with those of yesterday."""
        people = self.citizens.cohort()
        assigned = people["persuader"]
        some = assigned >= 0
        count = np.bincount(assigned[some], minlength=len(self.population))
        texts = self.society.texts.intern_many(response_texts(PERSUADED, self.subject.names))
        numbers = texts.reshape(-1, len(PERSUADED))
        for place, name in enumerate(self.subject.topics):
            total = np.bincount(
                assigned[some], people[f"attitude.{name}"][some], minlength=len(self.population)
            )
            now = total / np.maximum(count, 1)
            change = (now - self.before[place])[persuaders.rows]
            self.before[place] = now
            side = persuaders["side"]
            active = np.isfinite(change) & (side != 0) & (persuaders["sent"] > 0)
            valence = np.clip(np.nan_to_num(change) * side / EFFECT, -1, 1)[active]
            speaking = persuaders.where(active)
            if len(speaking):
                speaking.stream.add(
                    TOPIC,
                    numbers[place, find_sign(valence)],
                    importance=0.3 + 0.5 * np.abs(valence),
                    valence=valence,
                )


ALIKE_REASON = "both subjects are received alike"
ALIKE = 0.02  # difference of mean responses up to which subjects are received alike


class ChooseSubject(Block):
    """Choose the share of stories or messages on the second topic in the next step.

    `usual` is the share without experience; `patterns` are the texts of remembered responses.
    """

    reads = ("checks_share", "attitude")
    writes = ("checks_share",)
    topics = (TOPIC,)

    def __init__(
        self,
        settings: SubjectSettings,
        subject: Subject,
        *,
        usual: float,
        patterns: tuple[str, ...],
    ) -> None:
        self.settings = settings
        self.subject = subject
        self.usual = usual
        self.patterns = patterns

    def perceive(self, authors: Cohort) -> Question:
        """Recall the response to each subject."""
        experience = Experience.recall_topic(authors, TOPIC, k=self.settings.memories)
        count = len(self.patterns)
        texts = response_texts(self.patterns, self.subject.names)
        of_subject = [texts[n * count : (n + 1) * count] for n in range(len(self.subject.names))]
        known = {
            "response": np.stack(
                [experience.mean(experience.reports(one)) for one in of_subject], axis=1
            ),
            "outlook": authors["attitude.outlook"],
        }
        rule = partial(
            rate_subject,
            usual=self.usual,
            weight=self.settings.weight,
            names=self.subject.names,
        )
        return experience.ask_rating("subject", rule, known, high=1.0)

    def apply(self, authors: Cohort, decisions: Decisions) -> None:
        """Store the shares."""
        authors["checks_share"] = np.clip(np.nan_to_num(decisions.value), 0, 1)


def rate_subject(
    question: Question, *, usual: float, weight: float, names: tuple[str, ...]
) -> Answer:
    """Return the share of the second topic, a logit of responses: the rule of "subject".

    The response weighs more at a poor outlook: by a factor of 1.5 at 0, 1 at 5 and 0.5 at 10
    (illustrative).

    Source: Editors and campaigns follow what their audience rewarded: matching law as a logit of
    experienced payoffs (Camerer and Ho 1999, doi:10.1111/1468-0262.00054, recalled). Organizations
    change more if they do worse than they aspire to (Greve 1998, doi:10.2307/2393591, recalled).
    """
    response = question.known["response"]
    difference = response[:, 1] - response[:, 0]
    urgency = 1.5 - question.known["outlook"] / 10
    if not 0 < usual < 1:
        value = np.full(len(difference), usual)
    else:
        logit = np.log(usual / (1 - usual)) + weight * urgency * difference
        value = 1 / (1 + np.exp(-logit))
    reasons = (ALIKE_REASON, *(f"{name} did better" for name in names))
    reason = np.where(difference > ALIKE, 2, np.where(difference < -ALIKE, 1, 0))
    return Answer(value.astype(np.float32), reason=reason.astype(np.uint8), reasons=reasons)
