"""Firms count sales, shortages and workers, and remember each day."""

import numpy as np

from memopolis.agents.activities import Activity
from memopolis.agents.remembering import remember
from memopolis.agents.thoughts import find_sign
from memopolis.scenarios.hurricane.settings import FirmSettings
from memopolis.sim.arrays import Bools, Float32, Floats
from memopolis.sim.block import Block
from memopolis.sim.population import Cohort, Population

CLOSING_HOUR = 21  # hour at which firms review the day, after the last customers
NOTABLE = 0.1  # absolute valence from which sales differ from usual ones (illustrative)
FEW_WORKERS = 0.5
"""Share of the usual working hours below which firms remember missing workers (illustrative)."""
SHIFT_HOURS = 8.0  # hours of work per worker and workday

SALES = (
    "Sales were about as usual in {place}.",
    "We sold more than usual in {place}.",
    "We sold less than usual in {place}.",
)


class KeepBooks(Block):
    """Sum sales, customers turned away and hours of work, and remember them once a day.

    The states are sums since the last review, shape (firms,) each.
    """

    reads = ("sold", "turned_away", "usual_sales", "employees", "zone", "open")
    writes = ("usual_sales",)
    state = ("sold", "missed", "hours", "opened")

    def __init__(self, settings: FirmSettings, citizens: Population) -> None:
        self.settings = settings
        self.citizens = citizens

    def setup(self) -> None:
        """Start with empty books."""
        firms = len(self.population)
        self.sold: Float32 = np.zeros(firms, np.float32)
        self.missed: Float32 = np.zeros(firms, np.float32)
        self.hours: Float32 = np.zeros(firms, np.float32)
        self.opened: Float32 = np.zeros(firms, np.float32)

    def step(self, firms: Cohort) -> None:
        """Add up this step, and review the day at the closing hour."""
        index = firms.index
        self.sold[index] += firms["sold"]
        self.missed[index] += firms["turned_away"]
        self.opened[index] += firms["open"] * self.clock.hours
        people = self.citizens.cohort()
        at_work = people.where(people["doing"] == Activity.WORK)
        employer = at_work["employer"]
        workers = np.bincount(employer[employer >= 0], minlength=len(self.hours))
        self.hours += workers * self.clock.hours
        if self.clock.is_hour(CLOSING_HOUR):
            self._review(firms)

    def _review(self, firms: Cohort) -> None:
        rows = firms.rows
        self._remember_sales(firms, self.sold[rows], self.opened[rows] > 0)
        self._remember_shortage(firms, self.sold[rows], self.missed[rows])
        self._remember_workers(firms, self.hours[rows])
        for name in self.state:
            getattr(self, name)[:] = 0

    def _remember_sales(self, firms: Cohort, sold: Float32, opened: Bools) -> None:
        usual = firms["usual_sales"]
        valence = compare_sales(sold, usual)
        kind = find_sign(valence, NOTABLE)
        numbers = self.society.texts.intern_many(SALES)
        firms.where(opened).stream.add(
            "sales",
            numbers[kind[opened]],
            place=firms.where(opened)["zone"],
            importance=0.2 + 0.5 * np.abs(valence[opened]),
            valence=valence[opened],
        )
        error = np.where(opened, sold - usual, 0)
        firms["usual_sales"] = usual + np.float32(self.settings.adapt) * error

    @staticmethod
    def _remember_shortage(firms: Cohort, sold: Float32, missed: Float32) -> None:
        short = missed > 0
        if not short.any():
            return
        share = missed[short] / (sold[short] + missed[short])
        text = "We ran out of goods in {place} and turned customers away."
        weight, valence = 0.3 + 0.5 * share, -0.3 - 0.6 * share
        remember(firms.where(short), "shortage", text, weight, valence, at="zone")

    def _remember_workers(self, firms: Cohort, hours: Float32) -> None:
        if self.clock.now.weekday() >= 5:
            return
        due = firms["employees"] * np.float32(SHIFT_HOURS)
        present = hours / np.maximum(due, 1)
        few = (due > 0) & (present < FEW_WORKERS)
        weight, valence = 0.6 - 0.4 * present[few], -0.6 + 0.6 * present[few]
        text = "Many of our workers in {place} did not come."
        remember(firms.where(few), "staff", text, weight, valence, at="zone")


def compare_sales(sold: Floats, usual: Floats) -> Float32:
    """Compare baskets sold with those usually sold: ln((sold + 1) / (usual + 1)), in [-1, 1]."""
    return np.clip(np.log((sold + 1) / (usual + 1)), -1, 1).astype(np.float32)
