"""Designs: their runs, and the errors raised before anything runs."""

import json
from typing import Any

import pytest

from memopolis.agents.citizen import Citizen
from memopolis.scenarios.hurricane import Hurricane
from memopolis.sim.errors import MemopolisError, ParameterError, SettingsError, UnknownNameError
from memopolis.sim.settings import RECORDED_OF_MANY, Field, Settings
from memopolis.sim.society import Society
from memopolis.sim.sweep.design import Design
from memopolis.sim.sweep.factors import Range

FACTORS = {"orders": ["default", "none"], "decision.spread": [0.5, 1.5]}


def test_runs_are_planned_point_by_point() -> None:
    design = Design(Hurricane, settings={"agents": 50}, factors=FACTORS, replications=2)
    planned = design.planned()
    assert [(run.point, run.replication) for run in planned] == [
        (0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1), (3, 0), (3, 1),
    ]  # fmt: skip
    assert planned[4].factors == {"orders": "none", "decision.spread": 0.5}
    settings: Any = planned[4].settings
    assert (settings.agents, settings.orders, settings.decision.spread) == (50, "none", 0.5)
    assert len({run.name for run in planned}) == 8


def test_sweeps_record_few_tables_and_use_one_thread() -> None:
    (run,) = Design(Hurricane, settings={"threads": 2}).planned()
    assert run.settings.record.tables == RECORDED_OF_MANY["record"]["tables"]  # type: ignore[index]
    assert run.settings.threads == 1
    (own,) = Design(Hurricane, settings={"record": {"tables": ["measures"]}}).planned()
    assert own.settings.record.tables == ("measures",)
    (whole,) = Design(Hurricane, settings=Hurricane.settings_class()).planned()
    assert "memories" in whole.settings.record.tables


def test_an_edited_design_keeps_the_runs_that_it_still_has() -> None:
    def names(**changes: Any) -> set[str]:
        options: dict[str, Any] = {"factors": FACTORS, "replications": 2} | changes
        return {run.name for run in Design(Hurricane, **options).planned()}

    before = names()
    assert before < names(replications=3)
    assert before < names(factors=FACTORS | {"orders": ["none", "default", "all_zones.csv"]})
    assert not before & names(seed=2)
    assert not before & names(settings={"agents": 7})
    assert before == names(outcomes=["trips"])


def test_paired_points_of_equal_settings_share_their_runs() -> None:
    points = [{"agents": 20}, {"agents": 30}, {"agents": 20}]
    design = Design(Hurricane, factors=points, sampling="points", replications=2)
    names = [run.name for run in design.planned()]
    assert names[:2] == names[4:]
    assert len(set(names)) == 4
    apart = Design(
        Hurricane, factors=points, sampling="points", replications=2, seeds="independent"
    )
    assert len({run.name for run in apart.planned()}) == 6


def test_arms_are_levels_of_the_factor_arm() -> None:
    design = Design(Hurricane, factors={"arm": ["storm", "no_orders"], "agents": [10, 20]})
    result: list[Any] = [run.settings for run in design.planned()]
    assert [(one.orders, one.agents) for one in result] == [
        ("default", 10), ("default", 20), ("none", 10), ("none", 20),
    ]  # fmt: skip


def test_a_design_survives_a_round_trip() -> None:
    design = Design(
        Hurricane,
        settings={"agents": 50, "survey": {"ask": ("ces_d",)}},
        factors={"orders": ["default", "none"], "decision.spread": Range(0.5, 1.5, log=True)},
        sampling="sobol",
        samples=4,
        seeds="independent",
        outcomes=["trips"],
    )
    again = Design.from_dict(json.loads(json.dumps(design.to_dict())))
    assert again.to_dict() == design.to_dict()
    assert again.points == design.points
    assert [run.name for run in again.planned()] == [run.name for run in design.planned()]
    listed = Design("hurricane", factors=[{"agents": 3}], sampling="points", settings=Settings())
    assert Design.from_dict(listed.to_dict()).points == [{"agents": 3}]


def test_a_society_defined_in_a_function_is_named() -> None:
    class Hidden(Society[Settings]):
        def build(self, settings: Settings) -> None:
            self.populate(Citizen, settings.agents)

    result = Design(Hidden).to_dict()
    assert result["scenario"].endswith("Hidden")
    assert Design.from_dict(result).replications == 1


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        ({"factors": {"ordrs": ["a"]}}, SettingsError, "factor 'ordrs'.*did you mean orders"),
        ({"factors": {"orders": "none"}}, ParameterError, "factor orders is 'none'; give levels"),
        (
            {"factors": {"decision.spread": [1.0, -3]}},
            SettingsError,
            r"point 1 \(decision.spread = -3\): .*was given -3; allowed: number, 0 to 10",
        ),
        (
            {"factors": {"agents": [1]}, "settings": {"agents": 9}},
            SettingsError,
            "a factor and a setting",
        ),
        ({"factors": {"agents": [1]}, "sampling": "points"}, ParameterError, "a list of points"),
        ({"factors": [{"agents": 1}]}, ParameterError, "set sampling to 'points'"),
        (
            {"factors": [{"agents": 1}, {"days": 1}], "sampling": "points"},
            ParameterError,
            "point 1 and point 0 do not both have agents, days",
        ),
        ({"sampling": "sobl"}, ParameterError, "did you mean sobol"),
        ({"seeds": "pared"}, ParameterError, "did you mean paired"),
        ({"sampling": "random"}, ParameterError, "at least one factor"),
        ({"replications": 0}, ParameterError, "replications is 0"),
        ({"replications": -2}, ParameterError, "whole number of at least 1 is needed$"),
        ({"replications": True}, ParameterError, "replications is True"),
        ({"seed": -1}, ParameterError, "seed is -1"),
        ({"samples": 1.5}, ParameterError, "samples is 1.5"),
        ({"outcomes": "trips"}, ParameterError, "give a list"),
        ({"outcomes": ["tripps"]}, UnknownNameError, "did you mean trips"),
        ({"settings": {"record.tables": "agents"}}, SettingsError, "needs the table measures"),
        ({"settings": {"nonsense": 1}}, SettingsError, "no setting is called 'nonsense'"),
        ({"factors": {"arm": ["storms"]}}, SettingsError, "did you mean storm"),
    ],
)
def test_impossible_designs_are_refused_before_any_run(
    value: dict[str, Any], error: type[MemopolisError], message: str
) -> None:
    with pytest.raises(error, match=message):
        Design(Hurricane, **value).planned()


def test_an_unknown_scenario_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="did you mean hurricane"):
        Design("huricane").planned()
    with pytest.raises(ParameterError, match="lacks scenario"):
        Design.from_dict({})


def test_a_setting_called_arm_is_a_setting() -> None:
    class Own(Settings):
        arm: str = Field("left", "Which arm is raised")

    class Raising(Society[Own]):
        arms = {"left": {"agents": 3}}  # noqa: RUF012

    (run,) = Design(Raising, factors={"arm": ["left"]}).planned()
    assert run.settings.arm == "left"  # type: ignore[attr-defined]
    assert run.settings.agents == 1_000


@pytest.mark.parametrize(
    "value",
    [
        {"factors": {"agents": list(range(1, 1001)), "days": list(range(1, 2001))}},
        {"replications": 10**12},
        {"factors": {"decision.spread": Range(0, 1)}, "sampling": "random", "samples": 10**26},
        {"factors": {"decision.spread": Range(0, 1)}, "sampling": "morris", "samples": 10**6},
        {"factors": {"decision.spread": Range(0, 1)}, "sampling": "saltelli", "samples": 2**18},
    ],
)
def test_too_many_runs_are_refused_before_sampling(value: Any) -> None:
    with pytest.raises(ParameterError, match="runs; a sweep may have at most 1,000,000"):
        Design(Hurricane, **value)


def test_many_levels_are_compared_quickly() -> None:
    levels = list(range(200_000))
    assert len(Design(Hurricane, factors={"agents": levels}).names) == 1
    with pytest.raises(ParameterError, match="twice"):
        Design(Hurricane, factors={"agents": [[1], [2], [1]]})


def test_outcomes_must_be_texts() -> None:
    for wrong in ("gini", [3], 7):
        with pytest.raises(ParameterError, match="give a list of texts"):
            Design(Hurricane, outcomes=wrong)  # type: ignore[arg-type]
