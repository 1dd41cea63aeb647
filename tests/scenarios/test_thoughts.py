"""The thoughts of each scenario are distinct, and open in many ways."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

from memopolis import load_run
from memopolis.scenarios.hurricane.scenario import Hurricane
from memopolis.scenarios.polarization.scenario import Polarization
from memopolis.scenarios.ubi.scenario import BasicIncome
from memopolis.sim.society import Society

if TYPE_CHECKING:
    from pathlib import Path

DISTINCT = 0.95
"""Minimum share of an agent's thoughts that differ from its other thoughts."""
MOST_FREQUENT = 0.10
"""Maximum share of the thoughts of a run that begin with the same three words."""

SOCIETIES: Mapping[str, tuple[type[Society[Any]], dict[str, Any]]] = {
    "hurricane": (Hurricane, {"agents": 60, "days": 8, "start": "2019-08-31"}),
    "polarization": (Polarization, {"agents": 80, "days": 14}),
    "ubi": (BasicIncome, {"agents": 100, "days": 14 * 30, "start": 2}),
}


@pytest.fixture(scope="module", params=list(SOCIETIES))
def thoughts(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    society_class, changes = SOCIETIES[request.param]
    folder: Path = tmp_path_factory.mktemp("thoughts") / request.param
    memories = load_run(society_class(rng=5, **changes).run(folder)).memories
    return memories[memories["kind"] == "thought"]


def test_the_thoughts_of_an_agent_are_distinct(thoughts: pd.DataFrame) -> None:
    by_agent = thoughts.groupby("agent")["text"]
    share = by_agent.nunique() / by_agent.size()
    assert len(thoughts) > 400
    assert share.mean() >= DISTINCT
    assert (by_agent.nunique().sum() / len(thoughts)) >= DISTINCT


def test_no_opening_of_three_words_is_frequent(thoughts: pd.DataFrame) -> None:
    opening = thoughts["text"].str.split().str[:3].str.join(" ")
    assert opening.value_counts(normalize=True).iloc[0] <= MOST_FREQUENT
