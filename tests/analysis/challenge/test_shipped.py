"""Shipped cases and baselines: complete, labelled, and consistent with one another."""

import csv
from collections.abc import Iterable

import pytest

from memopolis.analysis.challenge.case import SHIPPED, Case, find_cases
from memopolis.analysis.challenge.scoring import Outcome, _read_outcomes
from memopolis.analysis.challenge.submission import BASELINES, Submission, read_submission
from memopolis.analysis.facts.basis import Basis, basis_of

EARLIER = {
    ("florence-2018", "left"): ("matthew-2016", "left"),
    ("florence-2018", "left-wednesday"): ("matthew-2016", "left-thursday-afternoon"),
    ("dorian-2019", "left"): ("florence-2018", "left"),
    ("dorian-2019", "left-wednesday"): ("florence-2018", "left-thursday"),
    ("parkland-2018", "rise"): ("sandy-hook-2012", "rise"),
    ("uvalde-2022", "fall"): ("parkland-2018", "fall"),
    ("levy-2021", "republicans"): ("bail-2018", "republicans"),
    ("nyhan-2023", "warmth-gap"): ("levy-2021", "warmth-gap"),
}
"""Which earlier outcome the baseline `last-event` repeats."""


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return find_cases()


def by_name(outcomes: Iterable[Outcome]) -> dict[tuple[str, str], Outcome]:
    return {(one.case, one.quantity.name): one for one in outcomes}


def baseline(name: str, cases: list[Case]) -> Submission:
    return read_submission(BASELINES / f"{name}.csv", cases)


def test_every_outcome_has_a_source_and_bounds(cases: list[Case]) -> None:
    outcomes = by_name(one for case in cases for one in _read_outcomes(case))
    assert len(cases) >= 13
    assert len(outcomes) >= 35
    assert sum(one.label == "cited" for one in outcomes.values()) > 30
    assert all(len(one.source) > 10 for one in outcomes.values())


def test_fitted_outcomes_are_labelled(cases: list[Case]) -> None:
    labels = {case.name: {one.basis for one in case.quantities} for case in cases}
    assert labels["dorian-2019"] == labels["uvalde-2022"] == {Basis.CALIBRATED}
    assert labels["matthew-2016"] == labels["parkland-2018"] == {Basis.INDEPENDENT}
    for case in cases:
        for one in case.quantities:
            assert not one.fact or one.basis is basis_of(one.fact, one.number), one
            fitted = one.basis is not Basis.INDEPENDENT
            assert not one.measure or bool(one.reason) == fitted, one


def test_no_change_predicts_0_everywhere(cases: list[Case]) -> None:
    values = baseline("no-change", cases).predictions
    assert set(values) == {(c.name, one.name) for c in cases for one in c.quantities}
    assert {value for members in values.values() for value in members.values()} == {0.0}


def test_the_last_event_repeats_earlier_outcomes(cases: list[Case]) -> None:
    values = baseline("last-event", cases).predictions
    outcomes = by_name(one for case in cases for one in _read_outcomes(case))
    dates = {case.name: case.date for case in cases}
    for (case, name), earlier in EARLIER.items():
        assert values[case, name] == {"1": outcomes[earlier].value}
        assert dates[earlier[0]] < dates[case]


def test_demographics_are_those_of_the_counties(cases: list[Case]) -> None:
    values = baseline("demographics", cases).predictions
    file = SHIPPED.parents[2] / "scenarios" / "synthesis" / "data" / "counties.csv"
    with file.open(encoding="utf-8", newline="") as lines:
        rows = {row["county"]: row for row in csv.DictReader(lines)}
    chosen = [rows[name] for name in ("Berkeley", "Charleston", "Dorchester")]
    homes = [float(row["households"]) for row in chosen]

    def share(column: str) -> float:
        parts = (n * float(row[column]) for n, row in zip(homes, chosen, strict=True))
        return sum(parts) / sum(homes) / 100

    mobile, large = share("mobile_homes"), share("large_buildings")
    left = mobile * 0.63 + large * 0.26 + (1 - mobile - large) * 0.21
    assert values["matthew-2016", "left"]["1"] == pytest.approx(left, abs=0.005)
