"""A shock by hand really acts, in each scenario, and the run is the same when it is repeated."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.dashboard.own_towns import Fair, Town

from memopolis import BasicIncome, Hurricane, Polarization, load_run
from memopolis.analysis.run.run import Run
from memopolis.analysis.run.tables import table_digests
from memopolis.dashboard.shocks.kinds import shock_of
from memopolis.dashboard.shocks.offers import fields_of
from memopolis.sim.running.by_hand import RunByHand
from memopolis.sim.running.repeating import repeat
from memopolis.sim.society import Society
from memopolis.sim.timeline import Message, News, Order, Policy, Shock

type Typed = list[tuple[int, type[Shock], Mapping[str, str]]]
"""What is typed before which step."""
type Steered = Callable[..., Run]


@pytest.fixture
def steered(tmp_path: Path) -> Steered:
    """Make a run of some steps into which what is typed is sent."""

    def made(name: str, society: Society[Any], steps: int, typed: Typed) -> Run:
        with RunByHand(society, tmp_path / name) as by_hand:
            for step in range(steps):
                for before, kind, texts in typed:
                    if before == step:
                        defaults = {one.name: one.default for one in fields_of(kind, society)}
                        by_hand.shock(shock_of(kind, {**defaults, **texts}, society))
                by_hand.make_step()
            by_hand.finish()
        return load_run(tmp_path / name)

    return made


def test_news_reaches_only_its_audience(steered: Steered) -> None:
    society = Hurricane(agents=60, days=3, rng=1)
    news = {"text": "The bridge is closed.", "topic": "bridge", "audience": "gender=female"}
    run = steered("news", society, 16, [(2, News, news)])
    heard = run.memories[run.memories["topic"] == "bridge"]
    result = heard[heard["text"] == "The bridge is closed."]
    people = society.population("citizen").cohort()
    gender = dict(zip(people.ids.tolist(), people["gender"].tolist(), strict=True))
    assert len(result) > 5
    assert {gender[one] for one in result["agent"]} == {"female"}
    assert result["tick"].min() >= 2


def test_news_of_the_default_topic_causes_fear(
    steered: Steered,
) -> None:
    """News of a topic without effects is remembered, and frightens no agent."""
    fear, topics = {}, {}
    for name, typed in (("as offered", {}), ("of its own", {"topic": "news"})):
        society = Hurricane(agents=60, days=3, rng=1)
        news = {"text": "The dam breaks.", "stance": "-1", "importance": "1", **typed}
        run = steered(name, society, 24, [(2, News, news)])
        heard = run.memories[run.memories["text"] == "The dam breaks."]
        topics[name], fear[name] = set(heard["topic"]), run.measure("fear").iloc[-1]
    # Institutions remember such news as a forecast.
    assert topics == {"as offered": {"disaster", "forecast"}, "of its own": {"news"}}
    assert fear["as offered"] > fear["of its own"] + 1


def test_an_order_changes_departures(steered: Steered) -> None:
    shares = {}
    for name, typed in (("none", []), ("order", [(6, Order, {"zones": "all"})])):
        society = Hurricane(agents=150, days=2, rng=1, orders="none", start="2019-09-03")
        run = steered(name, society, 36, typed)
        shares[name] = run.measure("evacuated_share").iloc[-1]
        ordered = run.memories["topic"] == "order"
        assert bool(ordered.any()) == (name == "order")
    assert shares["order"] > shares["none"] + 0.05


def test_a_policy_changes_payments(steered: Steered) -> None:
    def society() -> BasicIncome:
        return BasicIncome(agents=60, days=300, start=2, rng=1)

    def paid(run: Run) -> list[int]:
        everybody = run.agents_of("government")
        return [round(one) for one in everybody.sort_values("tick")["basic_income"]]

    as_set = paid(steered("set", society(), 7, []))
    typed: Typed = [
        (4, Policy, {"key": "amount", "value": "500"}),
        (5, Policy, {"key": "who", "value": "unemployed"}),
        (6, Policy, {"key": "amount", "value": "0"}),
    ]
    run = steered("changed", society(), 7, typed)
    changed = paid(run)
    assert changed[:4] == as_set[:4]
    assert changed[0] == changed[1] == 0 < changed[2]
    assert changed[4] == pytest.approx(as_set[4] / 2, rel=0.05)
    assert 0 <= changed[5] < changed[4] / 2
    assert changed[6] == 0
    # The surtax has taken more than is paid by then, so it pauses.
    surtax = run.agents_of("government").sort_values("tick")["surtax"]
    assert surtax.iloc[4] > 0
    assert surtax.iloc[6] == 0


def test_a_message_reaches_only_its_recipients(steered: Steered) -> None:
    society = Polarization(agents=40, days=6, rng=1)
    message = {"to": "3, 5, age>70", "text": "Come home.", "topic": "family"}
    ids = [3, 5]
    run = steered("message", society, 3, [(1, Message, {**message, "to": "3, 5"})])
    got = run.memories[run.memories["text"] == "Come home."]
    assert sorted(got["agent"]) == ids
    assert set(got["topic"]) == {"family"}
    assert set(got["tick"]) == {1}


def test_a_custom_kind_of_shock_acts(steered: Steered) -> None:
    moods = {}
    for name, typed in (("none", []), ("fair", [(2, Fair, {"zones": "n", "joy": "0.4"})])):
        moods[name] = steered(name, Town(agents=12, days=1, rng=1), 4, typed).measure("mood")
    assert moods["fair"].iloc[1] == moods["none"].iloc[1]
    assert moods["fair"].iloc[3] > moods["none"].iloc[3] + 0.2


def test_the_run_is_reproduced_from_its_manifest(steered: Steered, tmp_path: Path) -> None:
    society = BasicIncome(agents=60, days=180, start=1, rng=1)
    typed: Typed = [
        (2, Policy, {"key": "amount", "value": "250"}),
        (2, News, {"text": "Less is paid.", "topic": "policy"}),
        (3, Message, {"to": "age>60", "text": "Sorry."}),
    ]
    run = steered("first", society, 5, typed)
    again = repeat(run.folder, tmp_path / "again")
    assert table_digests(run.folder) == table_digests(again)
