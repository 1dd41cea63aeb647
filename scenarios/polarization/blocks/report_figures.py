"""The statistics bureau remembers its figures and publishes the most unusual one."""

import numpy as np

from memopolis.agents.experience import Experience
from memopolis.scenarios.polarization.settings import SubjectSettings
from memopolis.scenarios.polarization.subjects import Subject
from memopolis.sim.arrays import Float64
from memopolis.sim.block import Block
from memopolis.sim.mind.mind import Answer, Decisions, Question
from memopolis.sim.population import Cohort
from memopolis.sim.timeline import News

# Column, size of a full change in a day (illustrative), and texts of an ordinary day, a rise and a
# fall. {aim} is what supporters of the subject want.
FIGURES = (
    (
        "support",
        0.01,
        ("Support for {aim} is unchanged.", "Support for {aim} has risen.",
         "Support for {aim} has fallen."),
    ),
    (
        "party_gap",
        0.05,
        ("The parties are as far apart as before.", "The parties have moved apart.",
         "The parties have come closer."),
    ),
    (
        "warmth",
        0.1,
        ("Feelings towards the other party are unchanged.",
         "Feelings towards the other party have become warmer.",
         "Feelings towards the other party have become colder."),
    ),
)  # fmt: skip
NOTABLE = 0.15  # absolute change, relative to a full one, that is a rise or a fall
GOOD = np.array((0.0, -1.0, 1.0), np.float32)
"""Valence of a rise of each figure: less distance and more warmth are good (choice)."""
TOPIC = "figures"
SURVEY = "survey"  # topic of published figures in the memories of citizens
HEADLINES = ("none", *(name for name, _, _ in FIGURES))
IMPORTANCE = 0.2  # importance of a published figure to citizens (illustrative)
LEAST_IMPORTANCE, GROWTH = 0.2, 0.5
"""Importance of a memory: least, and increase by a full change (illustrative)."""
LEAST = 0.3  # surprise from which a figure is published (illustrative)


class ReportFigures(Block):
    """Remember the change of each figure, and publish the most unusual one of the day.

    The state `before` has the figures of the last step, NaN before the first, shape (figures,).
    """

    reads = tuple(name for name, _, _ in FIGURES)
    topics = (TOPIC,)
    state = ("before",)

    def __init__(self, settings: SubjectSettings, subject: Subject) -> None:
        self.settings = settings
        self.texts = list_texts(subject)

    def setup(self) -> None:
        """Start without earlier figures."""
        self.before: Float64 = np.full(len(FIGURES), np.nan)

    def perceive(self, bureau: Cohort) -> Question:
        """Recall earlier changes, and compare today's with them."""
        experience = Experience.recall_topic(bureau, TOPIC, k=self.settings.memories)
        change = self._compute_change(bureau)
        usual = np.array([self._usual(experience, place) for place in range(len(FIGURES))])
        known = {"change": change[None, :], "usual": usual[None, :]}
        return experience.ask_choice("headline", choose_headline, known, HEADLINES)

    @staticmethod
    def _read_figures(bureau: Cohort) -> Float64:
        return np.array([float(bureau[name][0]) for name, _, _ in FIGURES])

    def _compute_change(self, bureau: Cohort) -> Float64:
        """Return the change of each figure since the last step, relative to a full change."""
        sizes = np.array([size for _, size, _ in FIGURES])
        change = (self._read_figures(bureau) - self.before) / sizes
        return np.asarray(np.clip(np.nan_to_num(change), -1, 1))

    def _remember(self, bureau: Cohort, change: Float64) -> None:
        """Remember the change of each figure."""
        for place, texts in enumerate(self.texts):
            size = change[place]
            kind = 1 if size > NOTABLE else 2 if size < -NOTABLE else 0
            bureau.stream.add(
                TOPIC,
                texts[kind],
                importance=LEAST_IMPORTANCE + GROWTH * abs(size),
                valence=float(size * GOOD[place]),
            )

    def _usual(self, experience: Experience, place: int) -> float:
        """Return the mean size of the remembered changes of a figure, 0 without any."""
        about = experience.reports(self.texts[place])
        # The importance of a memory encodes the size of a change; see `_remember`.
        size = (experience.column("importance") - LEAST_IMPORTANCE) / GROWTH
        return float(size[about].mean()) if about.any() else 0.0

    def apply(self, bureau: Cohort, decisions: Decisions) -> None:
        """Remember today's changes, and publish the chosen figure in the next step."""
        change = decisions.question.known["change"][0]
        self._remember(bureau, change)
        self.before[:] = self._read_figures(bureau)
        choice = int(np.nan_to_num(decisions.value)[0])
        if not choice:
            return
        text = self.texts[choice - 1][1 if change[choice - 1] > 0 else 2]
        following = self.clock.date_of(self.clock.tick + 1)
        news = News(report_survey(text), topic=SURVEY, importance=IMPORTANCE)
        self.society.timeline.at(following, news)


def list_texts(subject: Subject) -> list[list[str]]:
    """Return the texts of each figure: of an ordinary day, a rise and a fall."""
    return [[text.replace("{aim}", subject.aim) for text in texts] for _, _, texts in FIGURES]


def report_survey(text: str) -> str:
    """Return the text of the news of a figure."""
    return f"A survey reports: {text}"


def choose_headline(question: Question) -> Answer:
    """Choose the figure whose change exceeds its remembered size most: the rule of "headline".

    Source: News values: unusual events are reported (Galtung and Ruge 1965,
    doi:10.1177/002234336500200104, recalled).
    """
    known = question.known
    surprise = np.abs(known["change"]) - known["usual"]
    best = surprise.argmax(axis=1)
    top = surprise[np.arange(len(best)), best]
    return Answer(np.where(top >= LEAST, best + 1, 0).astype(np.float32))
