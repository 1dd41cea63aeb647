"""A scenario as a function (parameters, steps, seed) -> array."""

import pickle
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memopolis.scenarios.hurricane import Hurricane
from memopolis.scenarios.polarization import Polarization
from memopolis.scenarios.ubi import BasicIncome
from memopolis.sim.block import Block
from memopolis.sim.calibration import Calibrated, calibrated
from memopolis.sim.errors import ParameterError, SettingsError, UnknownNameError
from memopolis.sim.measures import Measure
from memopolis.sim.population import Agent, Cohort, attribute
from memopolis.sim.settings import Field, Settings
from memopolis.sim.society import Society


class Worker(Agent):
    """An agent that earns."""

    income: float = attribute(0.0)
    place: str = attribute("south")


class Earn(Block):
    """Earn a little; one moves north in the third step."""

    def __init__(self, rate: float) -> None:
        self.rate = rate

    def step(self, cohort: Cohort) -> None:
        cohort["income"] = cohort["income"] + np.float32(self.rate)
        if self.clock.tick == 2:
            cohort.at(np.array([0]))["place"] = np.array(["north"])


class TownSettings(Settings):
    """What they earn."""

    rate: float = Field(1.0, "Earned a step", ge=0, le=10)
    friendly: bool = Field(True, "Whether they are friendly")


class Town(Society[TownSettings]):
    """People who earn."""

    measures = (
        Measure("income", "income", group="place", population="worker"),
        Measure("total", "income", of="sum", population="worker"),
    )

    def build(self, settings: TownSettings) -> None:
        self.populate(Worker, settings.agents, blocks=[Earn(settings.rate)])


def town(*, parameters: tuple[str, ...] = ("rate",), measures: tuple[str, ...] = ("income",),
         **settings: object) -> Calibrated:  # fmt: skip
    return calibrated(
        Town, parameters=parameters, measures=measures, settings={"agents": 4, **settings}
    )


def test_a_calibrated_model_returns_measures_by_step() -> None:
    model = town(parameters=("rate", "agents"), measures=("total", "income"))
    result = model([0.5, 3], 4, 1)
    assert result.dtype == np.float64
    assert result.tolist() == [[1.5, 0.5], [3.0, 1.0], [4.5, 1.5], [6.0, 2.0]]
    assert (model.parameters, model.measures) == (("rate", "agents"), ("total", "income"))


def test_a_calibrated_model_has_the_signature_of_black_it() -> None:
    # With an array of parameters, a plain length, and a seed of NumPy; its name is written down.
    model = town()
    result = model(np.array([2.0]), 3, np.int64(2**32 - 1))  # type: ignore[arg-type]
    assert result.shape == (3, 1)
    assert model.__name__ == "calibrated_Town"


def test_a_calibrated_model_ignores_days() -> None:
    assert town(days=1 / 24)([1], 30, 1)[-1, 0] == 30
    assert town(days=30.0)([1], 30, 1)[-1, 0] == 30


@pytest.mark.parametrize(
    ("kind", "measure", "settings", "steps"),
    [
        (Hurricane, "threat", {"agents": 20, "days": 0.5}, 250),
        (Polarization, "attitude", {"agents": 20, "days": 2}, 5),
        (BasicIncome, "gini", {"agents": 30, "start": 1, "days": 61}, 5),
    ],
)
def test_every_scenario_runs_beyond_its_days(
    kind: type[Society[Any]], measure: str, settings: dict[str, Any], steps: int
) -> None:
    result = calibrated(kind, parameters=[], measures=[measure], settings=settings)([], steps, 1)
    assert np.isfinite(result).all()
    assert len(np.unique(result)) > 1


def test_a_group_is_one_column_and_an_empty_group_is_missing() -> None:
    model = town(measures=("income[south]", "income[north]", "income"))
    result = model([1], 4, 1)
    assert result[:, 0].tolist() == [1, 2, 3, 4]
    assert np.isnan(result[:2, 1]).all()
    assert result[2:, 1].tolist() == [3, 4]
    assert result[:, 2].tolist() == [1, 2, 3, 4]


def test_a_measure_may_be_named_twice() -> None:
    assert town(measures=("total", "total"))([1], 1, 1).tolist() == [[4, 4]]


def test_the_same_seed_gives_the_same_numbers_and_another_does_not() -> None:
    model = calibrated(
        Polarization, parameters=["talk.talks"], measures=["heard"], settings={"agents": 30}
    )
    one, again, other = (model([0.5], 3, seed) for seed in (1, 1, 2))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


def test_other_processes_give_equal_numbers() -> None:
    model = calibrated(
        Polarization, parameters=["talk.talks"], measures=["heard"], settings={"agents": 30}
    )
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        present = pool.submit(model, [0.5], 3, 1).result()
    assert np.array_equal(present, model([0.5], 3, 1))


def test_a_calibrated_model_can_be_pickled() -> None:
    model = town(parameters=("rate", "agents"), measures=("total", "income[south]"), days=3.0)
    again = pickle.loads(pickle.dumps(model))  # noqa: S301
    assert repr(again) == repr(model)
    assert np.array_equal(again([0.5, 3], 4, 1), model([0.5, 3], 4, 1))


def test_a_calibrated_model_keeps_no_society(tmp_path: Path, monkeypatch: Any) -> None:
    import gc

    monkeypatch.chdir(tmp_path)
    model = town()
    model([1], 1, 1)
    gc.collect()
    # By type(): a weak proxy that outlived its object answers isinstance by an error.
    before = sum(issubclass(type(one), Town) for one in gc.get_objects())
    for seed in range(3):
        model([1], 1, seed)
    assert sum(issubclass(type(one), Town) for one in gc.get_objects()) == before
    assert gc.get_freeze_count() == 0
    assert list(tmp_path.iterdir()) == []


WORD: Any = "rate"
ONE: Any = {"parameters": ["agents"], "measures": ["away_share"]}
WRONG: list[tuple[Callable[[], object], type[Exception], str]] = [
    (lambda: town(parameters=("rat",)), SettingsError, "no setting is called 'rat'; did you mean"),
    (lambda: town(parameters=("friendly",)), SettingsError, "'friendly' is True; a parameter is a"),
    (lambda: town(parameters=("mind",)), SettingsError, "'mind' is 'rule'; a parameter is a"),
    (lambda: town(parameters=("llm",)), SettingsError, "'llm' is a group of settings"),
    (lambda: town(parameters=("rate.high",)), SettingsError, "rate is given as one value and as"),
    (lambda: town(rate=11), SettingsError, "rate was given 11; allowed: number, 0 to 10"),
    (lambda: town(measures=("incomes",)), UnknownNameError, "did you mean income"),
    (lambda: town(measures=("income@mean",)), UnknownNameError, "leave out what follows the @"),
    (lambda: town(parameters=WORD), ParameterError, "a list of names, as ['rate']"),
    (lambda: town(parameters=("rate", "rate")), ParameterError, "names one twice: rate, rate"),
    (lambda: calibrated("hurrican", **ONE), UnknownNameError, "did you mean hurricane?"),
    (lambda: town(measures=()), UnknownNameError, "no measures"),
    (lambda: town(measures=("income[east]",))([1], 4, 1), UnknownNameError, "are: north, south"),
    (lambda: town()([11], 1, 1), SettingsError, "rate=11: setting rate was given 11"),
    (lambda: town()([np.nan], 1, 1), ParameterError, "'rate' is nan; a finite number"),
    (lambda: town(parameters=("agents",))([2.5], 1, 1), SettingsError, "agents=2.5"),
    (lambda: town()([1, 2], 1, 1), ParameterError, "1 numbers are needed: rate"),
    (lambda: town()(["much"], 1, 1), ParameterError, "numbers are needed"),
    (lambda: town()([1], 0, 1), ParameterError, "steps is 0; a whole number of at least 1"),
    (lambda: town()([1], 10**7, 1), ParameterError, "at most 1,000,000"),
    (lambda: town()([1], 1.5, 1), ParameterError, "steps is 1.5"),  # type: ignore[arg-type]
    (lambda: town()([1], 1, -1), ParameterError, "seed is -1; a whole number of at least 0"),
]


@pytest.mark.parametrize(
    ("call", "error", "message"), WRONG, ids=[str(n) for n in range(len(WRONG))]
)
def test_invalid_arguments_are_reported_in_one_line(
    call: Callable[[], object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as caught:
        call()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


NOTEBOOK = """
import multiprocessing, pickle
from memopolis import Citizen, Measure, Settings, Society
from memopolis.sweeps import calibrated

class Town(Society[Settings]):
    measures = (Measure("hunger", "hunger"),)
    def build(self, settings):
        self.populate(Citizen, settings.agents)

if __name__ == "__main__":
    model = calibrated(Town, parameters=["agents"], measures=["hunger"])
    pool = multiprocessing.get_context("spawn").Pool(1)
    print(pool.apply(model, ([3], 2, 1)).tolist() == model([3], 2, 1).tolist())
    pool.close()
    pool.join()
"""


def test_a_class_of_a_script_is_found_by_other_processes(tmp_path: Path) -> None:
    (tmp_path / "town.py").write_text(NOTEBOOK)
    done = subprocess.run(
        [sys.executable, "town.py"], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.stdout == "True\n", done.stderr
