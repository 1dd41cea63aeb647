"""The panel: every few months the bureau asks some adults how they are."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from memopolis.scenarios.ubi.living import PanelSettings
from memopolis.scenarios.ubi.people import ADULT
from memopolis.sim.block import Block
from memopolis.sim.errors import ParameterError
from memopolis.sim.population import Cohort
from memopolis.sim.survey.asking import Answers
from memopolis.sim.survey.depression import CES_D, CUT_OFF
from memopolis.sim.survey.satisfaction import LIFE_SATISFACTION
from memopolis.sim.survey.score import points, total
from memopolis.sim.survey.survey import Survey


class AskPanel(Block):
    """Ask the CES-D and life satisfaction as an observer, and keep what comes of it.

    All answers go to the table `survey`; the mean score and the share of cases go to the
    bureau's columns, where they stay until the next panel.
    """

    reads = ()
    writes = ("depression", "cases")

    def __init__(self, settings: PanelSettings | None = None) -> None:
        self.settings = settings or PanelSettings()

    def setup(self) -> None:
        """Refuse a run that asks the same survey another way.

        Raises:
            ParameterError: If it does.
        """
        for survey in (CES_D, LIFE_SATISFACTION):
            if survey.name in self.society.settings.survey.ask:
                raise ParameterError(
                    f"survey.ask names {survey.name}, which the panel asks; "
                    "set panel.every and panel.size instead"
                )

    def step(self, bureau: Cohort) -> None:
        """Ask in the first month of the run, and then every few months."""
        if self.clock.tick % self.settings.every:
            return
        share = self._share()
        scored = panel_scores(self.society.put(of_adults(CES_D, share)))
        self.society.put(of_adults(LIFE_SATISFACTION, share))
        for name, value in zip(("depression", "cases"), scored, strict=True):
            bureau.status[name] = np.full(len(bureau), value)

    def _share(self) -> float:
        """Share of adults that makes a panel of the wanted size."""
        people = self.society.population("citizen").cohort()
        adults = int((people.status["age"] >= ADULT).sum())
        return min(1.0, self.settings.size / max(adults, 1))


def of_adults(survey: Survey, share: float) -> Survey:
    """A survey put to a share of adult citizens."""
    return replace(survey, population="citizen", share=share, from_age=ADULT)


def panel_scores(answers: Sequence[Answers]) -> tuple[float, float]:
    """What the answers to the CES-D come to.

    Args:
        answers: By item, all from the same people.

    Returns:
        The mean total, and the share of totals at or above the cut-off; both 0 where nobody
        answered all items.

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
