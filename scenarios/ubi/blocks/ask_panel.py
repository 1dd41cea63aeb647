"""The panel: a survey of some adults every few months."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from memopolis.scenarios.ubi.household_settings import PanelSettings
from memopolis.scenarios.ubi.people import ADULT
from memopolis.sim.block import Block
from memopolis.sim.errors import ParameterError
from memopolis.sim.population import Cohort
from memopolis.sim.survey.depression import CES_D, CUT_OFF
from memopolis.sim.survey.opinions import LIFE_SATISFACTION
from memopolis.sim.survey.survey import Answers, Survey, points, total


@dataclass(eq=False, repr=False)
class AskPanel(Block):
    """Ask the CES-D and life satisfaction as an observer, and publish the results.

    All answers are recorded in the table `survey`; the mean score and the share of cases are
    columns of the bureau, unchanged until the next panel.
    """

    reads = ()
    writes = ("depression", "cases")

    settings: PanelSettings = field(default_factory=PanelSettings)

    def setup(self) -> None:
        """Check that no other survey asks the same items.

        Raises:
            ParameterError: If one does.
        """
        for survey in (CES_D, LIFE_SATISFACTION):
            if survey.name in self.society.settings.survey.ask:
                raise ParameterError(
                    f"survey.ask names {survey.name}, which the panel already asks; "
                    "change panel.every and panel.size instead"
                )

    def step(self, bureau: Cohort) -> None:
        """Ask in the first month of the run and every few months thereafter."""
        if self.clock.tick % self.settings.every:
            return
        share = self._compute_share()
        scores = score_panel(self.society.put(restrict_to_adults(CES_D, share)))
        self.society.put(restrict_to_adults(LIFE_SATISFACTION, share))
        for name, value in zip(("depression", "cases"), scores, strict=True):
            bureau.status[name] = value

    def _compute_share(self) -> float:
        """Share of adults that yields the panel size."""
        people = self.society.population("citizen").cohort()
        adults = int((people.status["age"] >= ADULT).sum())
        return min(1.0, self.settings.size / max(adults, 1))


def restrict_to_adults(survey: Survey, share: float) -> Survey:
    """Restrict a survey to a share of adult citizens."""
    return replace(survey, population="citizen", share=share, from_age=ADULT)


def score_panel(answers: Sequence[Answers]) -> tuple[float, float]:
    """Score the answers to the CES-D.

    Args:
        answers: By item, all from the same persons.

    Returns:
        Mean score, and share of scores at or above the cut-off; 0 without complete answers.

    Source:
        Radloff 1977, doi:10.1177/014662167700100306.
    """
    if not answers:
        return 0.0, 0.0
    value = np.stack([one.value for one in answers], axis=1).astype(np.float64)
    low, high = (np.array([getattr(one.item, end) for one in answers]) for end in ("low", "high"))
    turned = np.array([one.item.reversed for one in answers])
    totals = total(points(value, low, high, turned))
    totals = totals[~np.isnan(totals)]
    if not len(totals):
        return 0.0, 0.0
    return float(totals.mean()), float((totals >= CUT_OFF).mean())
