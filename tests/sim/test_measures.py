"""Measures: declared numbers, taken over all and by group."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memopolis.sim.errors import SettingsError
from memopolis.sim.measures import Measure, grouped, read_measures
from memopolis.sim.population import Agent, Population, attribute
from memopolis.sim.society import Society

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memopolis.sim.settings import Settings


class Villager(Agent):
    """A person of the tests."""

    wealth: float = attribute(0.0)
    zone: int = attribute(0, dtype="i2")
    job: str = attribute("none")
    rich: bool = attribute(default=False)


@pytest.fixture
def people() -> Population:
    society: Society[Settings] = Society(rng=1)
    return society.populate(
        Villager,
        5,
        status={
            "wealth": np.array([1, 2, 3, 4, 5], np.float32),
            "zone": np.array([-1, 0, 0, 2, 2]),
            "job": np.array(["cook", "smith", "cook", "cook", "none"]),
            "rich": np.array([0, 0, 0, 1, 1], bool),
        },
    )


def taken(people: Population, **declared: Any) -> dict[str, float]:
    return Measure("x", "wealth", population="villager", **declared).take(people.cohort())


def test_a_measure_is_a_mean_or_a_sum(people: Population) -> None:
    assert taken(people) == {"": 3}
    assert taken(people, of="sum") == {"": 15}


def test_groups_are_named_by_value(people: Population) -> None:
    assert taken(people, group="job") == {
        "": 3,
        "cook": pytest.approx(8 / 3),
        "smith": 2,
        "none": 5,
    }
    assert taken(people, group="zone", of="sum") == {"": 15, "-1": 1, "0": 5, "2": 9}
    assert taken(people, group="rich") == {"": 3, "no": 2, "yes": 4.5}


def test_agents_outside_the_selection_do_not_count(people: Population) -> None:
    assert taken(people, where="rich", group="job") == {"": 4.5, "cook": 4, "none": 5}


def test_agents_without_a_value_do_not_count(people: Population) -> None:
    people.at(np.array([0, 3]))["wealth"] = np.nan
    assert taken(people, group="zone", of="sum") == {"": 10, "0": 5, "2": 5}
    assert taken(people)[""] == pytest.approx(10 / 3)


def test_the_mean_of_an_empty_cohort_is_nan(people: Population) -> None:
    people.cohort()["rich"] = np.zeros(5, np.bool_)
    mean = taken(people, where="rich", group="job")
    assert list(mean) == [""]
    assert np.isnan(mean[""])
    assert taken(people, where="rich", group="job", of="sum") == {"": 0}


def test_agents_who_left_do_not_count(people: Population) -> None:
    people.agents[4].remove()
    assert taken(people, group="job") == {"": 2.5, "cook": pytest.approx(8 / 3), "smith": 2}


@pytest.mark.parametrize(
    ("measure", "name"),
    [
        (Measure("x", "age"), "age"),
        (Measure("x", "wealth", group="age"), "age"),
        (Measure("x", "wealth", where="happy"), "happy"),
    ],
)
def test_an_unknown_measured_attribute_is_refused(
    people: Population, measure: Measure, name: str
) -> None:
    with pytest.raises(SettingsError, match=f"measure 'x' is of '{name}', which villager"):
        measure.check(people)


@pytest.mark.parametrize("measure", [Measure("x", "job"), Measure("x", "wealth", group="wealth")])
def test_texts_cannot_be_summed_and_floats_cannot_group(
    people: Population, measure: Measure
) -> None:
    with pytest.raises(SettingsError):
        measure.check(people)


def test_a_measure_is_plain_values() -> None:
    result = Measure("fear", "emotion.fear", unit="0-10", chart="Emotions").to_dict()
    assert Measure(**result) == Measure("fear", "emotion.fear", unit="0-10", chart="Emotions")  # type: ignore[arg-type]


pairs = st.lists(st.tuples(st.integers(-1000, 1000), st.integers(-1, 6)), min_size=1, max_size=40)


@given(pairs)
def test_groups_cover_all_agents(rows: list[tuple[int, int]]) -> None:
    values, groups = (np.array(column) for column in zip(*rows, strict=True))
    names, sums = grouped(values, groups, "sum")
    assert names.tolist() == sorted(set(groups.tolist()))
    assert sums.sum() == values.sum()
    _, means = grouped(values, groups, "mean")
    expected = [np.mean(values[groups == name]) for name in names]
    assert means == pytest.approx(np.array(expected))


def test_an_empty_cohort_has_no_groups() -> None:
    nothing: NDArray[np.int64] = np.zeros(0, np.int64)
    names, values = grouped(nothing, nothing, "mean")
    assert len(names) == len(values) == 0


def test_measures_are_read_from_a_table(tmp_path: Path) -> None:
    file = tmp_path / "measures.csv"
    file.write_text("name,column,of,unit\nrich,wealth,sum,USD\njobs,job,mean,\n")
    assert read_measures(file) == (
        Measure("rich", "wealth", of="sum", unit="USD"),
        Measure("jobs", "job"),
    )
