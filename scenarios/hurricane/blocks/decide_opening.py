"""Firms decide whether their stores open, by remembered danger and missing workers."""

from functools import partial

import numpy as np

from memopolis.agents.remembering import remember
from memopolis.scenarios.hurricane.danger import DANGERS, recall_danger
from memopolis.scenarios.hurricane.settings import FirmSettings
from memopolis.sim.arrays import Array, Bools, Float32
from memopolis.sim.block import Block
from memopolis.sim.mind.mind import Answer, Decisions, Outcome, Question
from memopolis.sim.population import Cohort, Population

OPTIONS = ("closed", "open")
REASONS = (
    "nothing recalled is a danger",
    "the recalled danger is too small to close",
    "too few workers are missing to close",
    "recalls danger",
    "workers are missing",
    "the store is damaged",
)


class DecideOpening(Block):
    """Close before a remembered danger arrives, and reopen when it is over."""

    reads = ("open", "zone", "attitude", "damage")
    writes = ("open",)
    topics = DANGERS

    def __init__(self, settings: FirmSettings, citizens: Population) -> None:
        self.settings = settings
        self.citizens = citizens

    def who(self, firms: Cohort) -> Cohort:
        """Select all firms at the hours of decision."""
        return firms if self.clock.is_every(self.settings.every) else firms.none()

    def perceive(self, firms: Cohort) -> Question:
        """Recall danger, and count the workers who have left."""
        danger, experience = recall_danger(firms, k=self.settings.memories)
        known: dict[str, Array] = {
            "danger": danger,
            "caution": 0.5 + firms["attitude.storm_caution"] / 10,
            "missing": self._missing(firms),
            "damage": firms["damage"],
            "open": firms["open"],
            "dangerous": experience.evidence(experience.about(*DANGERS)),
        }
        rule = partial(choose_opening, settings=self.settings)
        return experience.ask_choice("opening", rule, known, OPTIONS)

    def _missing(self, firms: Cohort) -> Float32:
        """Return the share of each firm's workers who have left the region."""
        people = self.citizens.cohort()
        employer, away = people["employer"], people["away"]
        employed = employer >= 0
        count = len(self.population)
        workers = np.bincount(employer[employed], minlength=count)
        gone = np.bincount(employer[employed & away], minlength=count)
        return (gone / np.maximum(workers, 1)).astype(np.float32)[firms.rows]

    def apply(self, firms: Cohort, decisions: Decisions) -> Outcome:
        """Open or close, and remember changes."""
        now, before = decisions.value == 1, firms["open"]
        firms["open"] = now
        for mask, text, valence in (
            (before & ~now, "We closed our store in {place}.", -0.4),
            (~before & now, "We reopened our store in {place}.", 0.5),
        ):
            remember(firms.where(mask), "opening", text, 0.6, valence, at="zone")
        return Outcome(threshold=closing_threshold(before, self.settings))


def closing_threshold(is_open: Bools, settings: FirmSettings) -> Float32:
    """Return the pressure from which open stores close, or below which closed ones reopen."""
    return np.where(is_open, settings.close_at, settings.reopen_at).astype(np.float32)


def choose_opening(question: Question, *, settings: FirmSettings) -> Answer:
    """Close if danger, missing workers and damage press: the rule of "opening".

    An open store closes from `close_at` on; a closed one reopens below `reopen_at`.

    Source: This project; businesses weigh expected damage and available staff (Zhang, Lindell and
    Prater 2009, doi:10.1111/j.1467-7717.2008.01061.x, recalled).
    """
    known = question.known
    danger = known["danger"] * known["caution"]
    missing = settings.missing_staff * known["missing"]
    pressure = danger + missing + known["damage"]
    opens = pressure < closing_threshold(known["open"], settings)
    by_staff = missing > danger
    reason = np.where(opens & (pressure <= 0), 0, np.where(opens, 1, 3) + by_staff)
    reason = np.where(known["damage"] > np.maximum(danger, missing), 5, reason)
    return Answer(
        opens.astype(np.float32),
        evidence=known["dangerous"],
        reason=reason.astype(np.uint8),
        reasons=REASONS,
    )
