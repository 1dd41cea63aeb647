import gc
import threading
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from memopolis.analysis import Run, load_run
from memopolis.analysis.interview.restored_agent import restore_agent
from memopolis.analysis.run.tables import table_digests
from memopolis.scenarios.hurricane import Hurricane
from memopolis.sim.errors import UnknownNameError
from memopolis.sim.recording import table
from memopolis.sim.running.by_hand import RunByHand
from memopolis.sim.timeline import News

AGENTS = 60
STEPS = 50
SEED = 3
LOOKS = (1, 7, 24, 31, 48)
type Moments = tuple[dict[int, Run], Run]


def town() -> Hurricane:
    return Hurricane(agents=AGENTS, rng=SEED)


@pytest.fixture(scope="module")
def moments(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Moments]:
    """Looks at a run under way, which all stand as it has ended, and the run that came of it."""
    folder = tmp_path_factory.mktemp("under_way") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table, "BUFFER_ROWS", 300)  # so that several parts are written
        with RunByHand(town(), folder, days=STEPS / 24) as by_hand:
            looks, run = {}, load_run(by_hand)
            for step in range(1, STEPS + 1):
                by_hand.make_step()
                run = run.latest()
                if step in LOOKS:
                    looks[step] = run
            by_hand.finish()
            yield looks, load_run(folder)


@pytest.fixture
def by_hand(tmp_path: Path) -> Iterator[RunByHand]:
    with RunByHand(town(), tmp_path / "run") as one:
        yield one


def steps(by_hand: RunByHand, count: int) -> Run:
    for _ in range(count):
        by_hand.make_step()
    return load_run(by_hand)


@pytest.mark.parametrize("step", LOOKS)
def test_a_live_reading_equals_that_step_of_the_finished_run(moments: Moments, step: int) -> None:
    looks, ended = moments
    look, moment = looks[step], ended.until(step)
    assert len(list((ended.folder / "tables" / "memories").iterdir())) > 3
    for name in ("measures", "memories", "decisions", "thoughts"):
        if name in {"decisions", "thoughts"} and "decisions" not in look.tables:
            continue  # nothing was decided yet
        result = getattr(look, name).reset_index(drop=True)
        pd.testing.assert_frame_equal(
            result, getattr(moment, name).reset_index(drop=True), check_categorical=False
        )
    assert look.ticks == moment.ticks
    assert look.end == moment.end
    recorded = {name for name in moment.tables if len(moment.table(name))}
    assert set(look.tables) == recorded
    for name in sorted(recorded - {"texts"}):
        assert len(look.table(name)) == len(moment.table(name)), name


@pytest.mark.parametrize("step", LOOKS)
def test_measures_grow_as_they_are_recorded(moments: Moments, step: int) -> None:
    looks, ended = moments
    look, moment = looks[step], ended.until(step)
    assert look.measured == moment.measured
    for name in look.measured:
        assert set(look.groups(name)) <= set(moment.groups(name))
        for group in look.groups(name):
            pd.testing.assert_series_equal(look.measure(name, group), moment.measure(name, group))


def test_an_unknown_measure_is_refused(moments: Moments) -> None:
    look = moments[0][24]
    with pytest.raises(UnknownNameError, match="no measure 'dread'"):
        look.measure("dread")
    with pytest.raises(UnknownNameError, match="no group 'x'"):
        look.measure("evacuated_share", "x")


def test_people_have_their_current_status_in_recorded_types(moments: Moments) -> None:
    looks, ended = moments
    for name in ended.populations:
        now, recorded = looks[24].people(name), ended.until(24).people(name)
        pd.testing.assert_frame_equal(now, recorded, check_categorical=False)
        for run in (looks[24], ended.until(24)):
            assert run.present(name).tolist() == now["agent"].tolist()
    hourly = looks[31].people()
    assert (hourly["tick"] == 30).all()
    assert list(hourly) == list(looks[24].people())


def test_people_are_listed_before_the_first_step(by_hand: RunByHand) -> None:
    run = load_run(by_hand)
    people = run.people()
    assert len(people) == AGENTS
    assert (people["tick"] == -1).all()
    assert people["zone_name"].notna().all()
    assert run.present("citizen").tolist() == people["agent"].tolist()
    life = run.life(1)
    assert life.name == people["name"].iloc[0]
    assert life.memories["text"].notna().all()
    assert run.measured == frozenset()
    assert run.until(0) is run


def test_a_live_life_has_current_status_and_held_memories(by_hand: RunByHand) -> None:
    run = steps(by_hand, 30)
    agent = int(run.people()["agent"].iloc[3])
    memory = by_hand.society.population("citizen").memory
    forgotten = run.life(agent).memories.index[:2]
    memory[3].stream.forget(forgotten.to_numpy())
    memory.flush()
    life = run.life(agent)
    assert not life.memories.loc[forgotten, "held"].any()
    assert life.memories["held"].sum() == len(memory[3].stream)
    streams = memory.streams
    ids = life.memories.index[life.memories["held"]].to_numpy()
    rows = np.full(len(ids), 3)
    assert (
        life.memories.loc[ids, "accessed"].tolist() == streams.get("accessed", rows, ids).tolist()
    )
    # Recorded after a day, and after 30 hours not yet.
    assert [f"{time:%d %H}" for time in life.status.index] == ["28 23", "29 05"]
    citizens = by_hand.society.population("citizen")
    assert life.status["hunger"].iloc[-1] == citizens["hunger"][3]


def test_an_earlier_step_of_an_active_run_shows_nothing_later(by_hand: RunByHand) -> None:
    run = steps(by_hand, 30)
    moment = run.until(26)
    assert moment.memories["tick"].max() < 26
    assert (moment.people()["tick"] == 23).all()
    assert moment.life(1).memories["held"].isna().all()
    early = run.until(2)
    assert (early.people()["tick"] == -1).all()
    assert early.life(1).status["doing"].tolist() == ["idle"]  # as at the start
    assert len(restore_agent(early, 1).search("a meal at home")) > 0


def test_latest_is_unchanged_without_a_step(by_hand: RunByHand) -> None:
    run = steps(by_hand, 2)
    assert run.latest() is run
    by_hand.shock(News("Come home"))
    result = run.latest()
    assert result is not run
    assert len(result.manifest["interventions"]["shocks"]) == 1
    assert run.manifest["interventions"]["shocks"] == []
    by_hand.make_step()
    assert result.latest().ticks == 3
    by_hand.finish()
    assert result.latest().status == "succeeded"
    assert run.status == "running"


def every_reading(run: Run, agent: int) -> None:
    people = run.people()
    assert len(people) == AGENTS
    run.life(agent)
    restore_agent(run, agent).search("the storm and my home")
    for name in run.measured:
        run.measure(name)
    until = run.until(run.ticks // 2)
    until.people("household")
    assert len(run.memories) >= len(until.memories)
    run.ties()


def test_observing_changes_nothing(tmp_path: Path) -> None:
    town().run(tmp_path / "alone", days=26 / 24)
    with RunByHand(town(), tmp_path / "watched", days=26 / 24) as by_hand:
        run = load_run(by_hand)
        while by_hand.step < by_hand.steps:
            every_reading(run, 1 + by_hand.step)
            by_hand.make_step()
            run = run.latest()
        by_hand.finish()
    assert table_digests(tmp_path / "watched") == table_digests(tmp_path / "alone")
    one, other = (load_run(tmp_path / name) for name in ("watched", "alone"))
    pd.testing.assert_frame_equal(one.life(5).memories, other.life(5).memories)


def test_a_released_reading_frees_its_memory(by_hand: RunByHand) -> None:
    run = steps(by_hand, 3)
    every_reading(run, 5)
    gone = weakref.ref(run)
    by_hand.make_step()
    run = run.latest()
    gc.collect()
    assert gone() is None


def test_readers_in_other_threads_see_whole_steps(
    by_hand: RunByHand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "BUFFER_ROWS", 500)
    looks = [steps(by_hand, 1)]
    failed: list[BaseException] = []

    def read(ask: Callable[[Run], object]) -> None:
        try:
            while len(looks) < 20:
                ask(looks[-1])
        except BaseException as error:  # noqa: BLE001 - reported below
            failed.append(error)

    def whole(run: Run) -> None:
        assert len(run.measure("evacuated_share")) == run.ticks
        assert run.table("memories")["tick"].max() < run.ticks

    asks: list[Callable[[Run], object]] = [whole, lambda run: run.life(1), lambda run: run.people()]
    readers = [threading.Thread(target=read, args=(ask,)) for ask in asks]
    for reader in readers:
        reader.start()
    while len(looks) < 20:
        by_hand.make_step()
        looks.append(looks[-1].latest())
    for reader in readers:
        reader.join()
    assert failed == []


def test_a_later_reading_has_the_manifest_that_is_written(by_hand: RunByHand) -> None:
    run = steps(by_hand, 2)
    for _ in range(24):
        by_hand.make_step()
    by_hand.shock(News("the bridge is closed"))
    by_hand.make_step()
    later = run.latest()
    assert later.manifest == by_hand.recorder.manifest()
    assert (run.manifest["ticks"], later.manifest["ticks"]) == (2, 27)
