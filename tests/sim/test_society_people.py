"""People and their earlier memories from files, and retrieval profiles from settings."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from memopolis.agents.citizen import Citizen
from memopolis.analysis.run.run import load_run
from memopolis.sim.errors import DataFileError, SettingsError, StateError
from memopolis.sim.memory.retrieval.profiles import Profile
from memopolis.sim.population import Agent, attribute
from memopolis.sim.running.building import load_state
from memopolis.sim.settings import Settings, load_settings_toml, parse_sets
from memopolis.sim.society import Society
from memopolis.sim.state.saving import save_state
from memopolis.sim.world.place import Place


class Shop(Agent):
    name: str = attribute("Bakery")
    stock: int = attribute(0, low=0, record=True)


class Town(Society[Settings]):
    """Citizens and a shop in two zones."""

    def build(self, settings: Settings) -> None:
        zones = {
            "zone": ["n", "s"],
            "name": ["North", "South"],
            "lat": [33.0, 32.8],
            "lon": [-80.0, -80.0],
            "population": [100.0, 200.0],
            "land_km2": [30.0, 20.0],
        }
        self.place = Place.from_table(pd.DataFrame(zones))
        names = np.array([f"Person {row}" for row in range(settings.agents)], object)
        self.populate(Citizen, settings.agents, status={"name": names})
        self.populate(Shop, 1)


PROFILES = "name,age,emotion.fear,faith\nPerson 1,77,9,old\nBakery,,,new\n"
MEMORIES = (
    "agent,topic,text,day,time,place,actor\n"
    "2,past storm,A hurricane took the roof in {place}.,-400,03:30,South,Person 0\n"
    "2,work,{actor} sold all bread.,-2,,n,Bakery\n"
)


def files(folder: Path) -> dict[str, str]:
    (folder / "people.csv").write_text(PROFILES, encoding="utf-8")
    (folder / "past.csv").write_text(MEMORIES, encoding="utf-8")
    return {
        "profiles": str(folder / "people.csv"),
        "new_columns": "true",
        "memories": str(folder / "past.csv"),
    }


def test_files_set_profiles_and_earlier_memories(tmp_path: Path) -> None:
    town = Town(agents=5, rng=1, **files(tmp_path))
    citizen = town.population("citizen").agents[1]
    assert [citizen.memory.status.get(key) for key in ("age", "emotion.fear", "faith")] == [
        77,
        9,
        "old",
    ]
    assert town.population("shop").agents[0]["faith"] == "new"
    results = citizen.memory.stream.search("the hurricane and the roof", k=1)
    assert results[0].text == "A hurricane took the roof in South."
    assert (results[0].day, results[0].second, results[0].actor) == (-400, 10_800, 1)
    assert citizen.memory.stream.read([1])[0].text == "Bakery sold all bread."


def test_dataframes_equal_files() -> None:
    town = Town(agents=3, rng=1)
    town.read_profiles(pd.DataFrame({"agent": [1, 2], "name": ["Ann", "Bob"]}))
    town.read_memories(pd.DataFrame({"name": ["Ann"], "topic": ["a"], "text": ["Old."]}))
    ann = town.population("citizen").agents[0]
    assert ann.memory.stream.read([0])[0].text == "Old."
    assert town.name_of(1) == "Ann"
    ann.memory.stream.add("talk", "Talked with {actor}", actor=2)
    # Queries know the new name.
    assert town.population("citizen").memory.names["Bob"] == 2


def test_earlier_memories_come_before_the_first_step() -> None:
    town = Town(agents=3, rng=1)
    town.step()
    with pytest.raises(StateError, match="before the first step"):
        town.read_memories(pd.DataFrame({"agent": [1], "topic": ["a"], "text": ["Old."]}))


def test_an_invalid_file_changes_no_agent(tmp_path: Path) -> None:
    (tmp_path / "past.csv").write_text("agent,topic,text\n1,a,x\n99,a,x\n", encoding="utf-8")
    with pytest.raises(
        DataFileError, match=r"past\.csv, row 2, column agent: '99', expected the id"
    ):
        Town(agents=3, rng=1, memories=str(tmp_path / "past.csv"))
    with pytest.raises(DataFileError, match="no such file"):
        Town(agents=3, rng=1, profiles="nowhere.csv")


def test_a_run_records_profiles_and_memories(tmp_path: Path) -> None:
    result = files(tmp_path)
    run = load_run(Town(agents=5, rng=1, days=1, **result).run(tmp_path / "run"))
    memories = run.memories
    assert memories["tick"].tolist() == [-400 * 24 + 3, -36]
    assert memories["text"].str.contains("took the roof").tolist() == [True, False]
    assert run.agents.set_index("agent").loc[2, "age"] == 77
    assert run.agents.set_index("agent").loc[2, "faith"] == "old"
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert set(manifest["data"]) == {"people.csv", "past.csv"}
    assert manifest["settings"]["profiles"] == result["profiles"]
    assert len(run.life(2).memories) == 2


def test_a_saved_state_keeps_profiles_and_memories(tmp_path: Path) -> None:
    town = Town(agents=5, rng=1, **files(tmp_path))
    town.step()
    again = load_state(save_state(town, tmp_path / "saved"), trust=True)
    citizen = again.population("citizen").agents[1]
    assert citizen["faith"] == "old"
    assert [m.time for m in citizen.memory.stream.read([0, 1])] == [-9597, -36]


# Retrieval


def test_retrieval_profiles_are_settings(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('[retrieval.mine]\ndense = 1\nk = 3\nsince = "created"\n', encoding="utf-8")
    mine = Profile(dense=1.0, k=3, since="created")
    from_file = Settings().with_changes(load_settings_toml(path))
    typed = Settings().with_changes(
        parse_sets(["retrieval.mine.dense=1", "retrieval.mine.k=3", "retrieval.mine.since=created"])
    )
    assert from_file.retrieval == typed.retrieval == {"mine": mine}
    assert Settings(retrieval={"mine": mine}) == typed
    both = typed.with_changes({"retrieval.mine.dense": 2, "retrieval.other": Profile(bm25=1.0)})
    assert both.retrieval == {
        "mine": Profile(dense=2.0, k=3, since="created"),
        "other": Profile(bm25=1.0),
    }
    assert Settings(**json.loads(both.model_dump_json())) == both
    town = Town(both, rng=1)
    for population in town.populations:
        assert population.memory.profiles["mine"].dense == 2
        assert "recall" in population.memory.profiles
    assert town.settings.with_changes({"agents": 3}).retrieval == both.retrieval


def test_texts_in_a_profile_are_parsed() -> None:
    sets = ["retrieval.a.without=idle,urgent", "retrieval.a.time_to_live=none"]
    read = Settings().with_changes(parse_sets([*sets, "retrieval.a.where.topic=storm"]))
    assert read.retrieval["a"].without == ("idle", "urgent")
    assert read.retrieval["a"].time_to_live is None
    assert read.retrieval["a"].where.topic == "storm"


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        ("retrieval.a.dens=1", "setting retrieval.a has no 'dens'; did you mean dense?"),
        ("retrieval.a.jumbo=1", "setting retrieval.a has no 'jumbo'; there are recency"),
        ("retrieval.a.dense=x", "setting retrieval.a.dense was given 'x'; Input should be a valid"),
        ("retrieval.a.dense=-1", "setting retrieval.a weight of dense is -1.0; allowed are 0"),
        ("retrieval.a.since=now", "setting retrieval.a.since was given 'now'; Input should be"),
        (
            "retrieval.a.where.topc=x",
            "setting retrieval.a.where has no 'topc'; did you mean topic",
        ),
        ("retrieval.a=1", "setting retrieval.a was given '1'; Input should be a dictionary"),
        ("retrieval=1", "setting retrieval was given '1'; allowed: groups by name"),
    ],
)
def test_an_invalid_profile_is_reported_in_one_line(sets: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message.replace("?", r"\?")) as refused:
        Settings().with_changes(parse_sets([sets]))
    assert "\n" not in str(refused.value)


def test_no_profiles_is_the_default() -> None:
    assert Settings().retrieval == Settings().with_changes({"retrieval": "none"}).retrieval == {}


def test_the_embedder_follows_the_setting() -> None:
    town: Any = Town(agents=3, rng=1)
    assert [p.memory.embedder for p in town.populations] == ["static", "static"]


def test_new_columns_are_a_setting(tmp_path: Path) -> None:
    settings = files(tmp_path) | {"new_columns": "false"}
    with pytest.raises(DataFileError, match="column faith: there is no such attribute"):
        Town(agents=5, rng=1, **settings)
    with pytest.raises(SettingsError, match="new_columns is True, which has no effect with profil"):
        Settings(new_columns=True)
