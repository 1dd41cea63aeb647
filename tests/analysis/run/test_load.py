import json
import shutil
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.manifests import change_manifest, record_again

from memopolis import Hurricane, RunByHand
from memopolis.analysis import Run, load_run
from memopolis.analysis.run.tables import table_length
from memopolis.sim.errors import RunFolderError, UnknownNameError


def test_a_run_has_status_seed_and_settings(stormy: Run) -> None:
    assert stormy.title == "Hurricane"
    assert stormy.seed == 5
    assert stormy.status == "succeeded"
    assert stormy.settings["agents"] == 300
    assert stormy.start == datetime(2019, 8, 28)
    assert stormy.facts["storm"] == "dorian"


def test_time_is_the_start_of_the_tick(stormy: Run) -> None:
    decisions = stormy.decisions
    expected = pd.Timestamp(stormy.start) + pd.to_timedelta(decisions["tick"], unit="h")
    assert (decisions["time"] == expected).all()


def test_tables_are_sorted_by_their_key(stormy: Run) -> None:
    for name, keys in (
        ("decisions", ["tick", "block", "population", "agent", "item"]),
        ("memories", ["tick", "population", "agent", "id"]),
        ("measures", ["tick", "measure", "group"]),
    ):
        keyed = stormy.table(name)[keys].astype(
            {key: str for key in keys if key not in {"tick", "agent", "id"}}
        )
        assert keyed.equals(keyed.sort_values(keys, kind="stable"))


def test_texts_are_filled_in(stormy: Run) -> None:
    texts = pd.concat([stormy.memories["text"], stormy.decisions["text"].dropna()])
    assert not texts.str.contains("{", regex=False).any()
    places = stormy.zones["name"].astype(str)
    assert any(stormy.memories["text"].str.contains(name, regex=False).any() for name in places)
    assert not stormy.memories["text"].str.contains(r"\b\d{5}\b").any()


def test_evidence_is_a_list_of_memories_of_the_agent(stormy: Run) -> None:
    decisions = stormy.decisions
    thought = decisions[
        (decisions["kind"] == "thought") & (decisions["evidence"].map(len) > 0)
    ].iloc[-1]
    assert isinstance(thought["evidence"], list)
    own = stormy.memories[stormy.memories["agent"] == thought["agent"]]
    remembered = own[own["id"].isin(thought["evidence"]) & (own["tick"] <= thought["tick"])]
    best = remembered.sort_values("importance", ascending=False, kind="stable").iloc[0]["text"]
    assert best.rstrip(". ") in thought["text"]


def test_a_measure_is_a_series_by_time(stormy: Run) -> None:
    evacuated = stormy.measure("evacuated_share")
    assert len(evacuated) == stormy.manifest["ticks"]
    assert evacuated.is_monotonic_increasing
    people = stormy.agents[stormy.agents["tick"] == stormy.agents["tick"].max()]
    assert evacuated.iloc[-1] == pytest.approx(people["evacuated"].mean())
    ordered = people[people["order_zone"] == "mandatory"]["evacuated"].mean()
    assert stormy.measure("evacuated_share", "mandatory").iloc[-1] == pytest.approx(ordered)


def test_every_table_has_rows(stormy: Run) -> None:
    for name in stormy.tables:
        assert len(stormy.table(name)), name
    assert len(stormy.zones) == 30
    assert len(stormy.weather) == 30 * stormy.manifest["ticks"]
    assert (stormy.ledger["cents"] > 0).all()
    assert stormy.texts.is_unique
    assert (
        len(stormy.agents_of("household")["agent"].unique())
        == stormy.manifest["populations"]["household"]
    )


def test_errors_for_unknown_names_list_known_ones(stormy: Run) -> None:
    with pytest.raises(UnknownNameError, match="fear"):
        stormy.measure("dread")
    with pytest.raises(UnknownNameError, match="mandatory"):
        stormy.measure("evacuated_share", "compulsory")
    with pytest.raises(UnknownNameError, match="decisions"):
        stormy.table("choices")


def test_a_life_has_profile_memories_and_evidence(stormy: Run) -> None:
    life = stormy.life(17)
    assert life.population == "citizen"
    assert {"gender", "age", "home"} <= set(life.profile)
    assert "emotion.fear" in life.status.columns
    assert len(life.status) == 14
    assert life.memories["text"].str.len().gt(0).mean() > 0.9
    assert life.memories.index.is_monotonic_increasing
    assert len(life.thoughts) == 14
    attitudes = life.decisions[life.decisions["kind"] == "attitude"]
    assert set(attitudes["item"]) == {"government_trust", "emergency_preparedness"}
    assert any(attitudes["evidence"].map(len))
    assert all(isinstance(text, str) for texts in attitudes["evidence"] for text in texts)


def test_a_life_equals_the_tables(stormy: Run) -> None:
    life = stormy.life(17)
    memories = stormy.memories[stormy.memories["agent"] == 17].set_index("id")["text"]
    assert life.memories["text"].tolist() == memories.tolist()
    thoughts = stormy.thoughts[stormy.thoughts["agent"] == 17]
    assert life.thoughts["text"].tolist() == thoughts["text"].tolist()


def test_zones_and_ticks_of_a_life_are_names_and_dates(stormy: Run) -> None:
    people = stormy.agents[stormy.agents["tick"] == stormy.agents["tick"].max()]
    gone = people[people["evacuated"].to_numpy(bool)].iloc[0]
    life = stormy.life(int(gone["agent"]))
    assert life.profile["home"] in set(stormy.zones["label"])
    left = stormy.start + pd.Timedelta(hours=int(gone["left_at"])).to_pytimedelta()
    assert life.status["left_at"].iloc[-1] == f"{left:%d %b %H:%M}"
    assert life.status["left_at"].iloc[0] == "never"


def test_households_have_lives(stormy: Run) -> None:
    agent = int(stormy.agents_of("household")["agent"].min())
    assert stormy.life(agent).population == "household"
    assert stormy.life(agent).memories.empty


def test_an_unknown_agent_id_is_refused(stormy: Run) -> None:
    with pytest.raises(UnknownNameError, match="citizen 1 to 300"):
        stormy.life(10_000_000)


def test_a_missing_folder_and_a_folder_without_a_run_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RunFolderError, match="no run folder"):
        load_run(tmp_path / "nothing")
    with pytest.raises(RunFolderError, match="not the folder of a run"):
        load_run(tmp_path)


@pytest.mark.parametrize("text", ["{", "[]", "{}"], ids=["cut off", "no object", "empty"])
def test_a_damaged_manifest_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(RunFolderError, match="broken"):
        load_run(tmp_path)


def _with_status(stormy_folder: Path, folder: Path, status: str) -> Path:
    shutil.copytree(stormy_folder, folder)
    change_manifest(folder, status=status)
    return folder


def test_a_run_that_has_not_ended_is_refused(stormy_folder: Path, tmp_path: Path) -> None:
    with pytest.raises(RunFolderError, match="was killed; `memopolis resume"):
        load_run(_with_status(stormy_folder, tmp_path / "run", "running"))


def test_an_interrupted_run_loads_with_its_status(stormy_folder: Path, tmp_path: Path) -> None:
    folder = _with_status(stormy_folder, tmp_path / "run", "interrupted")
    assert load_run(folder).status == "interrupted"


def test_a_damaged_table_is_named(stormy_folder: Path, tmp_path: Path) -> None:
    folder = _with_status(stormy_folder, tmp_path / "run", "succeeded")
    next((folder / "tables" / "measures").iterdir()).write_bytes(b"half")
    with pytest.raises(RunFolderError, match=r"measures/part-00000\.parquet has 4 bytes"):
        load_run(folder)


def test_a_run_with_few_tables_loads(stormy_folder: Path, tmp_path: Path) -> None:
    folder = _with_status(stormy_folder, tmp_path / "run", "succeeded")
    for name in ("decisions", "memories"):
        shutil.rmtree(folder / "tables" / name)
    record_again(folder)
    run = load_run(folder)
    assert run.life(17).memories.empty
    assert run.life(17).thoughts.empty
    with pytest.raises(UnknownNameError, match=r"record\.tables"):
        _ = run.decisions


def test_importing_analysis_is_cheap() -> None:
    code = (
        "import sys, memopolis; before = set(sys.modules); import memopolis.analysis; "
        "print([m for m in ('matplotlib', 'scipy.optimize', 'numba') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_a_series_contains_numbers(stormy: Run) -> None:
    assert stormy.measure("trips").dtype == np.float64


def test_ticks_of_odd_length_do_not_drift(stormy: Run) -> None:
    run = Run(stormy.folder)
    run.manifest |= {"start": "2019-08-28T00:00:00", "tick_hours": 1 / 7}
    times = run.time_of(pd.Series([0, 7, 7 * 24 * 14]))
    assert times.tolist() == [
        pd.Timestamp("2019-08-28"), pd.Timestamp("2019-08-28 01:00"), pd.Timestamp("2019-09-11"),
    ]  # fmt: skip


def test_a_run_of_another_format_is_refused(stormy: Run, tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    manifest = {**stormy.manifest, "format": 99}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(RunFolderError, match="format 99"):
        load_run(tmp_path)


def test_broken_timings_and_parts_are_reported(stormy: Run, tmp_path: Path) -> None:
    for name in ("timings", "tables/memories"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "timings" / "timings.json").write_text('{"sec', encoding="utf-8")
    (tmp_path / "tables" / "memories" / "part-00000.parquet").write_bytes(b"PAR1")
    run = Run(stormy.folder)
    run.folder = tmp_path
    with pytest.raises(RunFolderError, match="is broken"):
        _ = run.timings
    with pytest.raises(RunFolderError, match="is broken"):
        table_length(tmp_path, "memories")


def test_a_society_without_agents_has_an_empty_table(stormy: Run) -> None:
    run = Run(stormy.folder)
    run.manifest["populations"] = {}
    with pytest.raises(UnknownNameError, match="no population"):
        _ = run.agents


@pytest.mark.parametrize("wrong", [{"start": "gaga"}, {"tick_hours": "x"}, {"populations": []}])
def test_a_manifest_with_invalid_values_is_refused(
    stormy: Run, tmp_path: Path, wrong: dict[str, object]
) -> None:
    (tmp_path / "tables").mkdir()
    text = json.dumps({**stormy.manifest, **wrong})
    (tmp_path / "manifest.json").write_text(text, encoding="utf-8")
    with pytest.raises(RunFolderError, match="is broken"):
        load_run(tmp_path)


def test_an_active_run_is_loaded_as_of_its_latest_checkpoint(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    # Names of others in texts are those in the recorded status.
    record = {"agents_every": 6}
    society = Hurricane(agents=20, days=1, rng=1, checkpoint={"every": 6}, record=record)
    with RunByHand(society, folder) as by_hand:
        by_hand.make_step()
        with pytest.raises(RunFolderError, match="has no checkpoint yet"):
            load_run(folder, so_far=True)
        for _ in range(7):
            by_hand.make_step()
        with pytest.raises(RunFolderError, match="is under way"):
            load_run(folder)
        run = load_run(folder, so_far=True)
        assert (run.ticks, run.status) == (6, "running")
        assert run.until(9) is run
        assert run.reader.held("citizen") is None
        memories, measures = run.memories, run.measures
        while by_hand.step < by_hand.steps:
            by_hand.make_step()
        by_hand.finish()
    whole = load_run(folder)
    assert load_run(folder, so_far=True).ticks == whole.ticks == 24
    then = whole.until(6)
    pd.testing.assert_frame_equal(
        memories, then.memories, check_categorical=False, check_dtype=False
    )
    assert measures["value"].equals(then.measures["value"])


def test_the_zone_of_people_is_their_current_zone(stormy: Run) -> None:
    people = stormy.people("citizen")
    attribute = stormy.attributes("citizen")["place"]
    assert attribute["changes"]
    last = stormy.agents[stormy.agents["tick"] == people["tick"].max()]
    recorded = last.sort_values("agent")["place"].to_numpy()
    assert (people["zone"].to_numpy() == recorded).all()
    assert (people["zone"] != people["home"]).any()
