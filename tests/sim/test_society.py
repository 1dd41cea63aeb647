"""A society: phases of a step, shocks, people who come and go, and the folder of a run."""

import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest

from memopolis.sim.block import Block
from memopolis.sim.errors import (
    BlockError,
    DataFileError,
    MemopolisError,
    ParameterError,
    RunFolderError,
    SettingsError,
)
from memopolis.sim.measures import Measure
from memopolis.sim.memory.retrieval.filter import Filter
from memopolis.sim.population import Agent, Cohort, attribute
from memopolis.sim.settings import Field, Settings
from memopolis.sim.society import Society
from memopolis.sim.timeline import Message, News, Order, Policy, Shock
from memopolis.sim.world.ledger import Ledger


class Villager(Agent):
    """A person of the tests."""

    level: float = attribute(0.0, record=True)
    group: str = attribute("a", record=True)


class Warden(Agent):
    """One who watches."""

    seen: int = attribute(0, record=True)


class Rise(Block):
    """Rise by one."""

    def step(self, cohort: Cohort) -> None:
        cohort["level"] = cohort["level"] + np.float32(1)


class Tell(Block):
    """Remember the tick."""

    def step(self, cohort: Cohort) -> None:
        cohort.memory.stream.add("work", "One more step.")


class Watch(Block):
    """Count what the others have risen to."""

    def step(self, cohort: Cohort) -> None:
        people = self.society.population("villager")
        cohort["seen"] = int(people.cohort()["level"].sum())


class VillageSettings(Settings):
    """Settings of the village."""

    agents: int = Field(4, "Villagers", ge=1)
    days: float = Field(1.0, "Length", gt=0)
    fails_at: int = Field(-1, "Tick at which something breaks")


class Breaks(Block):
    """Break down at a tick."""

    def step(self, cohort: Cohort) -> None:  # noqa: ARG002
        if self.clock.tick == self.society.settings.fails_at:
            message = "the bridge broke"
            raise ValueError(message)


class Village(Society[VillageSettings]):
    """A village."""

    measures: Sequence[Measure] = (
        Measure("level", "level", population="villager"),
        Measure("by_group", "level", of="sum", group="group", population="villager"),
    )

    def build(self, settings: VillageSettings) -> None:
        self.populate(
            Villager,
            settings.agents,
            blocks=[Rise(), Tell(), Breaks()],
            status={"group": np.resize(np.array(["a", "b"]), settings.agents)},
        )
        self.populate(Warden, 1, blocks=[Watch()])
        self.happened: list[tuple[int, Shock]] = []

    def happen(self, shock: Shock) -> None:
        super().happen(shock)
        self.happened.append((self.clock.tick, shock))


def manifest(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / "manifest.json").read_text())
    return content


def table(folder: Path, name: str) -> pd.DataFrame:
    return pd.read_parquet(folder / "tables" / name)


# Settings and seed


def test_single_settings_are_named_and_checked() -> None:
    assert Village(agents=7).settings.agents == 7
    assert Village(VillageSettings(agents=3), days=2).settings.days == 2
    with pytest.raises(SettingsError, match="agnets"):
        Village(agnets=7)
    with pytest.raises(SettingsError):
        Village(agents=0)
    with pytest.raises(SettingsError, match="Village takes VillageSettings, not Settings"):
        Village(Settings())  # type: ignore[arg-type]


@pytest.mark.parametrize("rng", [-1, 1.5, "7", True])
def test_a_seed_is_a_whole_number(rng: Any) -> None:
    with pytest.raises(ParameterError, match="rng is"):
        Village(rng=rng)


def test_a_seed_is_drawn_if_omitted() -> None:
    assert Village().seed != Village().seed
    assert Village(rng=np.int64(5)).seed == 5  # type: ignore[arg-type]


# Phases


class Sun:
    """A part of the world, which moves before anyone does."""

    def __init__(self) -> None:
        self.seen: list[tuple[int, int, float]] = []

    def step(self, society: Society[Any]) -> None:
        level = float(society.populations[0].cohort()["level"][0])
        self.seen.append((society.clock.tick, len(society.timeline), level))


def test_a_step_has_its_phases_in_order() -> None:
    village, sun = Village(rng=1), Sun()
    village.world.append(sun)
    village.at(village.clock.start, Policy("tax", 0.5))
    for tick in range(3):
        village.step()
        assert village.clock.tick == tick
        assert village.clock.date_of(tick) == village.clock.now
    assert sun.seen == [(0, 1, 0), (1, 1, 1), (2, 1, 2)]
    # The second population sees what the first has done in the same step.
    assert village.population("warden").cohort()["seen"].tolist() == [12]
    assert village.measured["level"] == {"": 3}


def test_blocks_run_in_the_order_given_and_are_timed() -> None:
    village = Village(rng=1)
    village.step()
    assert list(village.block_seconds) == ["rise", "tell", "breaks", "watch"]
    assert min(village.block_seconds.values()) >= 0


class Watched(Village):
    """A village whose warden looks first."""

    order: ClassVar[tuple[str, ...]] = ("warden",)


def test_populations_act_in_a_custom_order() -> None:
    village = Watched(rng=1)
    assert [population.name for population in village.populations] == ["villager", "warden"]
    village.step()
    assert list(village.block_seconds) == ["watch", "rise", "tell", "breaks"]
    assert village.population("warden").cohort()["seen"].tolist() == [0]


def test_mesa_can_run_a_society() -> None:
    village = Village(rng=1, days=1)
    assert village.running
    village.run_for(24)
    assert village.clock.tick == 23
    assert not village.running
    frame = village.datacollector.get_model_vars_dataframe()
    assert frame["level"].tolist() == list(range(1, 25))


def test_an_unknown_population_is_reported_with_the_known_ones() -> None:
    with pytest.raises(SettingsError, match="there are: villager, warden"):
        Village(rng=1).population("people")


# Shocks


def test_shocks_happen_at_their_tick_in_order() -> None:
    village = Village(rng=1)
    shocks = [Policy("a", 1), Order(("all",), "mandatory"), Policy("a", 2), Policy("b", 3)]
    for when, shock in zip(
        ("2026-01-01 05:00", "2026-01-01 02:30", "2026-01-01 02:59"), shocks, strict=False
    ):
        village.at(when, shock)
    village.at(datetime(2026, 1, 1), shocks[3])
    for _ in range(8):
        village.step()
    assert village.happened == [(0, shocks[3]), (2, shocks[1]), (2, shocks[2]), (5, shocks[0])]
    assert village.policies == {"a": 1, "b": 3}


def test_a_shock_of_the_past_is_refused() -> None:
    village = Village(rng=1)
    for _ in range(5):
        village.step()
    with pytest.raises(ParameterError, match="has passed"):
        village.at("2026-01-01 02:00", Policy("a", 1))
    village.at("2026-01-01 05:00", Policy("a", 1))
    village.step()
    assert village.policies == {"a": 1}


def test_a_message_reaches_its_recipients() -> None:
    village = Village(rng=1)
    people, wardens = village.populations
    to = (int(people.ids[1]), int(wardens.ids[0]))
    village.at("2026-01-01 03:00", Message(to, "Be safe, {actor}.", actor=int(people.ids[0])))
    for _ in range(3):
        village.step()
    assert not people.agents[1].memory.stream.search("safe", k=9, where=Filter(topic="social"))
    village.step()
    for population, row in ((people, 1), (wardens, 0)):
        (heard,) = population.agents[row].memory.stream.search(
            "safe", k=9, where=Filter(topic="social")
        )
        assert heard.time == 3
        assert heard.actor == people.ids[0]
        assert heard.text == f"Be safe, villager {people.ids[0]}."
    assert not people.agents[2].memory.stream.search("safe", k=9, where=Filter(topic="social"))


def test_a_message_without_recipients_is_harmless() -> None:
    village = Village(rng=1)
    village.at("2026-01-01", Message(99_999, "Hello?"))  # type: ignore[arg-type]
    village.step()


def test_a_message_to_an_absent_agent_is_not_stored() -> None:
    village = Village(rng=1)
    gone: Any = village.populations[0].agents[1]
    gone.remove()
    village.at("2026-01-01", Message((gone.unique_id,), "Hello?"))
    village.step()
    assert not gone.memory.stream.search("hello", k=5, where=Filter(topic="social"))


def test_news_is_on_air_from_its_tick_on() -> None:
    village = Village(rng=1)
    village.at("2026-01-01 02:00", News("A storm is coming."))
    heard = []
    for _ in range(4):
        village.step()
        heard.append([(tick, news.text) for tick, news in village.on_air()])
    assert heard == [[], [], [(2, "A storm is coming.")], [(2, "A storm is coming.")]]


def test_news_comes_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "news.csv"
    path.write_text("time,text,topic\n2026-01-01 02:00,Hail.,disaster\n2026-01-01,Sun.,weather\n")
    village = Village(rng=1, news=str(path))
    assert [(tick, shock.text) for tick, shock in village.timeline] == [  # type: ignore[attr-defined]
        (0, "Sun."),
        (2, "Hail."),
    ]
    with pytest.raises(DataFileError, match="no such file"):
        Village(rng=1, news=str(tmp_path / "none.csv"))


# People who come and go


class Comings(Block):
    """Let one agent join and another leave."""

    def step(self, cohort: Cohort) -> None:  # noqa: ARG002
        tick = self.clock.tick
        if tick == 1:
            self.population.add(2)
        if tick == 2:
            self.population.agents[0].remove()


class Port(Society[VillageSettings]):
    """A village with a harbour."""

    measures = (Measure("level", "level", of="sum", population="villager"),)

    def build(self, settings: VillageSettings) -> None:  # noqa: ARG002
        self.populate(Villager, 3, blocks=[Comings(), Rise(), Tell()])


def test_agents_join_and_leave_during_a_run(tmp_path: Path) -> None:
    port = Port(rng=1, days=4 / 24, record={"agents_every": 1})
    folder = port.run(tmp_path / "run")
    people = port.population("villager")
    # Those who join in a step act from the next block of it on.
    assert people.cohort().rows.tolist() == [1, 2, 3, 4]
    assert people["level"].tolist() == [2, 4, 4, 3, 3]
    assert [len(one.memory.stream) for one in people.agents] == [2, 4, 4, 3, 3]
    agents = table(folder, "agents_villager")
    assert agents.groupby("tick")["agent"].apply(list).tolist() == [
        people.ids[rows].tolist() for rows in ([0, 1, 2], range(5), range(1, 5), range(1, 5))
    ]
    measured = table(folder, "measures").set_index("tick")["value"]
    assert measured.tolist() == [3, 8, 10, 14]
    memories = table(folder, "memories")
    assert len(memories) == 2 + 4 + 4 + 3 + 3
    assert not memories.duplicated(["agent", "id"]).any()


# The folder of a run


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("BasicIncome", "Basic income"),
        ("Hurricane", "Hurricane"),
        ("SIRModel", "SIR model"),
        ("UBI", "UBI"),
        ("LifeInATown2", "Life in a town2"),
        ("PlanB", "Plan B"),
        ("small_town", "Small town"),
        ("_", "_"),
    ],
)
def test_the_default_title_is_the_class_name_in_words(name: str, title: str) -> None:
    made: type[Village] = type(name, (Village,), {})
    assert made.title == title


def test_runs_have_the_custom_title(tmp_path: Path) -> None:
    class Old(Village):
        title = "A village in 1950"

    class OldTown(Old):
        pass

    assert (Village.title, OldTown.title) == ("Village", "Old town")
    assert manifest(Old(rng=1).run(tmp_path / "run"))["title"] == "A village in 1950"


def test_a_run_is_a_folder(tmp_path: Path) -> None:
    seen: list[tuple[int, int, datetime]] = []
    village = Village(rng=9)
    folder = village.run(tmp_path / "deep" / "run", progress=lambda *content: seen.append(content))
    assert folder == tmp_path / "deep" / "run"
    assert seen[0] == (1, 24, datetime(2026, 1, 1, 1))
    assert seen[-1] == (24, 24, datetime(2026, 1, 2))
    assert len(seen) == 24
    content = manifest(folder)
    assert (content["status"], content["error"], content["seed"], content["ticks"]) == (
        "succeeded",
        "",
        9,
        24,
    )
    assert content["populations"] == {"villager": 4, "warden": 1}
    assert content["settings"]["agents"] == 4
    assert content["title"] == "Village"
    assert [m["name"] for m in content["measures"]] == ["level", "by_group"]
    assert {"memopolis", "mesa", "numpy", "python"} <= set(content["versions"])
    assert not list(folder.rglob("*.writing"))
    measures = table(folder, "measures")
    assert len(measures) == 24 * 4
    assert set(measures["group"]) == {"", "a", "b"}
    assert (folder / "memory" / "villager.parquet").is_file()


def test_the_manifest_of_a_run_keeps_a_drawn_seed(tmp_path: Path) -> None:
    first = Village(days=0.1)
    content = manifest(first.run(tmp_path / "one"))
    again = Village(days=0.1, rng=content["seed"]).run(tmp_path / "two")
    assert manifest(again)["seed"] == first.seed


def test_a_run_may_be_shorter_than_the_setting(tmp_path: Path) -> None:
    folder = Village(rng=1).run(tmp_path / "run", days=0.25)
    assert manifest(folder)["ticks"] == 6
    with pytest.raises(ParameterError, match="days is 0"):
        Village(rng=1).run(tmp_path / "other", days=0)
    assert not (tmp_path / "other").exists()


def test_a_run_does_not_overwrite_another(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(RunFolderError, match="is not empty"):
        Village(rng=1).run(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
    with pytest.raises(RunFolderError, match="is a file"):
        Village(rng=1).run(tmp_path / "notes.txt")
    with pytest.raises(RunFolderError, match="below a file"):
        Village(rng=1).run(tmp_path / "notes.txt" / "run")


def test_a_society_whose_run_was_refused_can_run_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").touch()
    village = Village(rng=1, days=0.1)
    with pytest.raises(RunFolderError):
        village.run(tmp_path / "full")
    assert manifest(village.run(tmp_path / "run"))["ticks"] == 2


def test_a_failed_run_is_marked_so(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="the bridge broke"):
        Village(rng=1, fails_at=5).run(tmp_path / "run")
    content = manifest(tmp_path / "run")
    assert content["status"] == "failed"
    assert content["error"].startswith("ValueError: the bridge broke; ")
    # What had been recorded until then is there.
    assert table(tmp_path / "run", "measures")["tick"].max() == 4
    assert not (tmp_path / "run" / "memory").exists()


def test_an_interrupted_run_is_marked_so(tmp_path: Path) -> None:
    def stop(done: int, _: int, __: datetime) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Village(rng=1).run(tmp_path / "run", progress=stop)
    content = manifest(tmp_path / "run")
    assert (content["status"], content["ticks"]) == ("interrupted", 3)
    assert table(tmp_path / "run", "measures")["tick"].max() == 2


def test_an_active_run_does_not_count_as_finished(tmp_path: Path) -> None:
    seen = []
    folder = tmp_path / "run"
    Village(rng=1, days=0.1).run(
        folder, progress=lambda *_: seen.append(manifest(folder)["status"])
    )
    assert set(seen) == {"running"}


class Rich(Society[VillageSettings]):
    """A village with money and tables of its own."""

    def build(self, settings: VillageSettings) -> None:  # noqa: ARG002
        self.populate(Villager, 2, blocks=[Pay()])
        self.ledger = Ledger()
        accounts = self.ledger.open("villager", 2, issuer=True)
        self.ledger.create(accounts[0], 1_000, "opening")

    def static_tables(self) -> dict[str, pd.DataFrame]:
        return {"zones": pd.DataFrame({"zone": ["x", "y"], "number": [0, 1]})}

    def facts(self) -> dict[str, Any]:
        return {"storm": "none"}

    def data_hashes(self) -> dict[str, str]:
        return {"zones.csv": "abc"}


class Pay(Block):
    """Pay a cent to the other."""

    def step(self, cohort: Cohort) -> None:  # noqa: ARG002
        assert self.society.ledger is not None
        self.society.ledger.pay(0, 1, 1, "rent")


def test_a_scenario_adds_tables_and_facts(tmp_path: Path) -> None:
    folder = Rich(rng=1, days=3 / 24).run(tmp_path / "run")
    content = manifest(folder)
    assert content["facts"] == {"storm": "none"}
    assert content["data"] == {"zones.csv": "abc"}
    assert table(folder, "zones")["zone"].tolist() == ["x", "y"]
    flows = table(folder, "ledger")
    rents = flows[flows["why"] == "rent"]
    assert rents[["tick", "from", "to", "cents", "payments"]].to_numpy().tolist() == [
        [tick, "villager", "villager", 1, 1] for tick in range(3)
    ]


def test_money_made_while_building_is_recorded(tmp_path: Path) -> None:
    flows = table(Rich(rng=1, days=3 / 24).run(tmp_path / "run"), "ledger")
    # The balance of an account follows from its flows alone.
    assert flows.loc[flows["why"] == "opening", "cents"].tolist() == [1_000]


def test_memories_from_before_the_run_are_recorded(tmp_path: Path) -> None:
    village = Village(rng=1, days=0.1)
    village.populations[0].cohort().memory.stream.add("past", "I was here before.")
    village.populations[0].memory.flush()
    memories = table(village.run(tmp_path / "run"), "memories")
    # Evidence names memories by id: what it may name is in the tables.
    assert memories.groupby("agent")["id"].apply(list).tolist() == [[0, 1, 2]] * 4


# Measures


@pytest.mark.parametrize(
    "measures",
    [
        [Measure("x", "wealth", population="villager")],
        [Measure("x", "level", group="colour", population="villager")],
        [Measure("x", "level", where="rich", population="villager")],
        [Measure("x", "level", population="people")],
    ],
)
def test_a_measure_of_an_unknown_attribute_is_refused(measures: Sequence[Measure]) -> None:
    class Odd(Village):
        pass

    Odd.measures = tuple(measures)
    with pytest.raises(MemopolisError):
        Odd(rng=1)


def test_a_block_can_be_added_later() -> None:
    class Rush(Rise):
        pass

    village = Village(rng=1)
    people = village.population("villager")
    village.give(people, Rush())
    village.step()
    assert people.cohort()["level"].tolist() == [2] * 4
    with pytest.raises(BlockError, match="'rush' already"):
        village.give(people, Rush())
