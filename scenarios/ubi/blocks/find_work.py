"""Quits, job search and hiring."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memopolis.agents.economy.hiring import select_workers
from memopolis.agents.economy.production import compute_labour
from memopolis.scenarios.ubi.firm_settings import LabourMarketSettings
from memopolis.scenarios.ubi.people import Labour
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort, Population


@dataclass(eq=False, repr=False)
class FindWork(Block):
    """Quit jobs, consider a few vacancies, and apply in descending order of pay."""

    reads = ("labour", "employer", "wanted_hours", "skill", "spell", "notice", "alive")
    writes = ("labour", "employer", "spell", "notice", "wage")

    settings: LabourMarketSettings
    firms: Population

    def step(self, citizens: Cohort) -> None:
        """Quit, then search in random order."""
        self._quit(citizens)
        gap = self._compute_gaps(citizens)
        seekers = self._select_seekers(citizens)
        if len(seekers):
            self._search(seekers, gap)
        self._count_vacancies(citizens, gap)

    def _quit(self, citizens: Cohort) -> None:
        """Quit without desired hours, or at random for other reasons."""
        status = citizens.status
        employed = status["employer"] >= 0
        wants = status["wanted_hours"] > 0
        leaves = employed & (~wants | (self.chance.uniform(citizens, "quit") < self.settings.quits))
        labour = status["labour"].copy()
        can_work = (labour != Labour.CHILD) & (labour != Labour.RETIRED) & (labour != Labour.UNABLE)
        labour[leaves] = Labour.UNEMPLOYED
        labour[can_work & wants & (labour == Labour.AT_HOME)] = Labour.UNEMPLOYED
        labour[can_work & ~wants] = Labour.AT_HOME
        status["labour"] = labour
        status["employer"] = np.where(leaves, -1, status["employer"])
        status["notice"] = status["notice"] & ~leaves
        status["wage"] = np.where(leaves, 0.0, status["wage"])
        status["spell"] = np.where(leaves, 0, np.minimum(status["spell"] + 1, 30_000))

    def _compute_gaps(self, citizens: Cohort) -> NDArray[np.float64]:
        """Compute unmet labour demand of each firm, shape (firms,)."""
        status = citizens.status
        employer = status["employer"]
        work = compute_labour(status["wanted_hours"], status["skill"])
        stays = (employer >= 0) & ~status["notice"]
        have = np.bincount(employer[stays], work[stays], minlength=len(self.firms))
        firms = self.firms.memory.columns.arrays
        return np.where(firms["alive"], firms["labour"] - have, 0.0)

    def _select_seekers(self, citizens: Cohort) -> Cohort:
        status, settings = citizens.status, self.settings
        draw = self.chance.uniform(citizens, "apply")
        searching = (status["labour"] == Labour.UNEMPLOYED) & (status["wanted_hours"] > 0)
        at_work = status["employer"] >= 0
        # Workers under notice search like the unemployed.
        must_search = searching | (at_work & status["notice"])
        return citizens.where(
            (must_search & (draw < settings.contact))
            | (at_work & ~status["notice"] & (draw < settings.on_the_job))
        )

    def _search(self, seekers: Cohort, gap: NDArray[np.float64]) -> None:
        """Apply to one vacancy after the other; reduces `gap` by hired labour."""
        seen = self._draw_vacancies(seekers, gap)
        if seen is None:
            return
        status = seekers.status
        work = compute_labour(status["wanted_hours"], status["skill"])
        offers = self.firms.memory.columns.arrays["wage"].astype(np.float64)
        own = status["employer"]
        held = np.where(
            (own >= 0) & ~status["notice"], offers[own] * (1 + self.settings.better_pay), 0.0
        )
        rank = np.argsort(-offers[seen], axis=1, kind="stable")
        seen = np.take_along_axis(seen, rank, axis=1)
        employers = np.full(len(seekers), -1, np.intp)
        order = self.chance.order(seekers)
        for place in range(seen.shape[1]):
            firm = seen[:, place]
            available = (employers < 0) & (offers[firm] > held) & (firm != own)
            turn = order[available[order]]
            hired = select_workers(firm[turn], work[turn], gap, np.arange(len(turn)))
            employers[turn[hired]] = firm[turn[hired]]
            np.subtract.at(gap, firm[turn[hired]], work[turn[hired]])
        self._begin_jobs(seekers.where(employers >= 0), employers[employers >= 0])

    def _draw_vacancies(self, seekers: Cohort, gap: NDArray[np.float64]) -> NDArray[np.intp] | None:
        """Draw the firms whose vacancies each seeker sees, weighted by unmet demand."""
        edges = np.cumsum(np.maximum(gap, 0.0))
        if edges[-1] <= 0:
            return None
        draws = self.chance.uniforms(seekers, self.settings.vacancies_seen, "see")
        seen = np.searchsorted(edges, draws * edges[-1], side="right")
        return np.asarray(np.minimum(seen, len(edges) - 1), np.intp)

    def _begin_jobs(self, hired: Cohort, firm: NDArray[np.intp]) -> None:
        if not len(hired):
            return
        status = hired.status
        status["employer"] = firm
        status["labour"] = Labour.EMPLOYED
        status["spell"] = 0
        status["notice"] = False

    def _count_vacancies(self, citizens: Cohort, gap: NDArray[np.float64]) -> None:
        """Count vacancies, in workers of mean labour."""
        status = citizens.status
        employed = status["employer"] >= 0
        work = compute_labour(status["wanted_hours"][employed], status["skill"][employed])
        mean = float(work.mean()) if len(work) else 1.0
        firms = self.firms.memory.columns.arrays
        firms["vacancies"][:] = np.rint(np.maximum(gap, 0) / max(mean, 1e-9)).astype(np.int32)
