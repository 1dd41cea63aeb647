"""Checkpoints with values that no run saves: refused in one line, or an earlier one is used."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from memopolis import Settings, Society
from memopolis.analysis.run.tables import table_digests
from memopolis.errors import RunFolderError
from memopolis.sim.block import Block
from memopolis.sim.population import Agent, Cohort, attribute
from memopolis.sim.running.building import load_state
from memopolis.sim.running.resuming import resume
from memopolis.sim.state.checkpoints import checkpoints_of, read
from memopolis.sim.state.saving import write_state
from memopolis.sim.state.state import State
from memopolis.sim.world.ties import Network, Ties

type Arrays = dict[str, np.ndarray[Any, Any]]


class Neighbour(Agent):
    """A person who visits a friend."""

    mood = attribute(0.5)
    friend = attribute(-1, role="reference")
    last = attribute(-1, role="memory")
    job = attribute("none")
    plans: list[str] = attribute([])


class Visit(Block):
    """Visit a friend and remember it."""

    state = ("visits", "host")
    refers: ClassVar[dict[str, str]] = {"host": "neighbour"}

    def setup(self) -> None:
        self.visits = np.zeros(len(self.population))
        self.host = np.full(len(self.population), -1, np.int32)

    def step(self, cohort: Cohort) -> None:
        cohort.stream.add("visit", "Visited {actor}", actor=cohort.ids[::-1])
        self.visits[cohort.rows] += 1
        self.host[cohort.rows] = cohort.rows[::-1]
        cohort["last"] = self.clock.tick


class Street(Society[Settings]):
    """A street of neighbours."""

    def build(self, settings: Settings) -> None:
        agents = settings.agents
        ties = Ties(agents, {"next": Network(agents, [0, 1, 2], [1, 2, 3])})
        self.populate(Neighbour, agents, blocks=[Visit()], ties=ties)


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a run that was interrupted after 5 steps, with checkpoints after 2 and 4."""
    folder = tmp_path_factory.mktemp("runs") / "run"

    def stop(done: int, *_: object) -> None:
        if done == 5:
            raise KeyboardInterrupt

    changes = {"agents": 6, "days": 8 / 24, "checkpoint": {"every": 2, "keep": 0}}
    society = Street(Settings().with_changes(changes), rng=1)
    with pytest.raises(KeyboardInterrupt):
        society.run(folder, progress=stop)
    return folder


@pytest.fixture
def run(killed: Path, tmp_path: Path) -> Path:
    import shutil

    return shutil.copytree(killed, tmp_path / "run")


def rewrite(run: Path, change: Callable[[Arrays, dict[str, Any]], None], at: int = -1) -> Path:
    """Change a checkpoint, with valid checksums; return its folder."""
    checkpoint = checkpoints_of(run)[at]
    state = read(checkpoint)
    arrays = {name: values.copy() for name, values in state.arrays.items()}
    change(arrays, state.plain)
    return write_state(State(arrays, state.plain), checkpoint.folder, replace=True)


def put(name: str, value: Any) -> Callable[[Arrays, dict[str, Any]], None]:
    def change(arrays: Arrays, _: dict[str, Any]) -> None:
        arrays[name][0] = value

    return change


def put_many_memories(arrays: Arrays, _: dict[str, Any]) -> None:
    for name in ("next", "count"):
        arrays[f"neighbour/memory/streams/{name}"][0] = 900


def cast(name: str, values: Callable[[Any], Any]) -> Callable[[Arrays, dict[str, Any]], None]:
    def change(arrays: Arrays, _: dict[str, Any]) -> None:
        arrays[name] = values(arrays[name])

    return change


def plain(**values: Any) -> Callable[[Arrays, dict[str, Any]], None]:
    return lambda _, plain: plain.update(values)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (put("neighbour/ids", 9), "neighbour/ids contains 9; at most 6"),
        (put("neighbour/ids", 2), "neighbour/ids is not in ascending order"),
        (cast("neighbour/ids", lambda a: a[:5]), "neighbour/ids has the shape"),
        (cast("neighbour/columns/mood", lambda a: a.astype(str)), "columns/mood has the type"),
        (cast("neighbour/columns/mood", lambda a: a[:5]), "columns/mood has the shape"),
        (put("neighbour/columns/job", 1), "columns/job contains 1; at most 0"),
        (put("neighbour/columns/friend", 8), "columns/friend contains 8; at most 7"),
        (put("neighbour/columns/last", 9), "columns/last names the memory 9"),
        (put("neighbour/memory/streams/next", 0), "more than the agent ever had"),
        (put("neighbour/memory/streams/count", 900), "more than the agent ever had"),
        (put_many_memories, "streams/table has the shape"),
        (put("neighbour/ties/next/starts", 1), "starts does not rise from 0"),
        (put("neighbour/ties/next/contacts", 6), "contacts contains 6; at most 5"),
        (put("neighbour/ties/next/contacts", 5), "contacts contains a tie that one of its two"),
        (put("neighbour/ties/next/strength", np.nan), "strength contains nan"),
        (put("neighbour/ties/next/strength", 2.0), "strength contains a tie with two strengths"),
        (put("blocks/neighbour/visit/host", 6), "visit/host contains 6; at most 5"),
        (cast("blocks/neighbour/visit/host", lambda a: a.astype(float)), "integer is needed"),
        (cast("blocks/neighbour/visit/visits", lambda a: a[:5]), "visit/visits has the shape"),
        (lambda arrays, _: arrays.pop("blocks/neighbour/visit/host"), "visit/host is missing"),
        (lambda arrays, _: arrays.update(more=np.zeros(1)), "more is not part of what is saved"),
        (plain(time=4.5), "tick is 3 after 4.5 steps"),
        (plain(tick=10**9), "tick should be less than or equal to"),
        (plain(next_id=-1), "next_id should be greater"),
        (plain(random=[3, [1, 2], None]), "random"),
        (plain(rng={"bit_generator": "MT19937"}), "rng.bit_generator should be 'PCG64'"),
        (plain(timeline={"past": [], "pending": [[9, {}], [5, {}]]}), "not in order of time"),
        (plain(timeline={"past": [], "pending": [[9, {"shock": "X"}]]}), "no kind of shock"),
        (plain(surveys={"surveys": [], "ticks": [[6, ["x"]]]}), "there is no survey 'x'"),
        (plain(settings={"agnets": 3}), "agnets"),
        (plain(populations={}), "now has other populations or blocks"),
    ],
)  # fmt: skip
def test_a_state_that_no_run_saves_is_refused(
    run: Path, change: Callable[[Arrays, dict[str, Any]], None], problem: str
) -> None:
    folder = rewrite(run, change)
    with pytest.raises((RunFolderError, AttributeError), match=problem) as refused:
        load_state(folder, scenario=Street)
    assert "\n" not in str(refused.value)


def test_json_values_are_checked(run: Path) -> None:
    def change(_: Arrays, plain: dict[str, Any]) -> None:
        plain["populations"]["neighbour"]["json"]["plans"][2] = "[1"

    with pytest.raises(RunFolderError, match=r"neighbour/plans contains '\[1', which is not JSON"):
        load_state(rewrite(run, change), scenario=Street)


def test_labels_are_checked(run: Path) -> None:
    def change(_: Arrays, plain: dict[str, Any]) -> None:
        plain["populations"]["neighbour"]["labels"] *= 2

    with pytest.raises(RunFolderError, match=r"neighbour\.labels: a text is listed twice"):
        load_state(rewrite(run, change), scenario=Street)


def test_a_run_resumes_from_the_newest_checkpoint_that_is_valid(run: Path, killed: Path) -> None:
    expected = table_digests(Street(load_settings(killed), rng=1).run(run.parent / "whole"))
    rewrite(run, put("neighbour/memory/streams/table", 2**30))
    with pytest.warns(RuntimeWarning, match=r"table does not contain .* earlier state of step 2"):
        resume(run, scenario=Street)
    assert table_digests(run) == expected


def test_a_run_without_a_valid_checkpoint_starts_again(run: Path, killed: Path) -> None:
    expected = table_digests(Street(load_settings(killed), rng=1).run(run.parent / "whole"))
    for at in (0, 1):
        rewrite(run, put("neighbour/columns/job", -1), at)
    with pytest.warns(RuntimeWarning, match="earlier state of step 0"):
        resume(run, scenario=Street)
    assert table_digests(run) == expected


def load_settings(run: Path) -> Settings:
    return Settings(**read(checkpoints_of(run)[-1]).plain["settings"])


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (plain(scenario="other:Town"), "of the scenario 'other:Town'"),
        (plain(seed=2), "with the seed 2, not 1"),
        (plain(interventions={"shocks": [[1, {}]], "surveys": []}), "other shocks than its run"),
    ],
)
def test_a_checkpoint_of_another_run_is_not_used(
    run: Path, change: Callable[[Arrays, dict[str, Any]], None], problem: str
) -> None:
    rewrite(run, change)
    with pytest.warns(RuntimeWarning, match=problem):
        resume(run, scenario=Street)


class Grow(Visit):
    """A block with an array that grows."""

    varying = ("visits",)

    def step(self, cohort: Cohort) -> None:
        super().step(cohort)
        self.visits = np.append(self.visits, 1.0).astype(np.float32)


class Row(Street):
    """A street whose block keeps a list."""

    def build(self, settings: Settings) -> None:
        self.populate(Neighbour, settings.agents, blocks=[Grow()])


def test_an_array_may_be_declared_to_vary(tmp_path: Path) -> None:
    from memopolis.sim.state.saving import save_state

    society = Row(agents=6, rng=1)
    society.step()
    again = load_state(save_state(society, tmp_path / "state"), scenario=Row)
    block: Any = again.populations[0].blocks[0]
    assert (block.visits.dtype, len(block.visits)) == (np.float32, 7)
