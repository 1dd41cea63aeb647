"""One small run with a storm and its pair without, made once for all tests of analysis."""

import gc
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from memopolis.analysis import Run, load_run
from memopolis.scenarios.hurricane import Hurricane
from memopolis.sim.sweep import worker

AGENTS = 300
SEED = 5


@pytest.fixture(scope="package", autouse=True)
def _collect_new_garbage_only() -> Iterator[None]:
    """Let runs of a sweep in this process collect new garbage only.

    A collection of everything that the tests imported takes most of the time of a small run.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker, "gc", SimpleNamespace(collect=lambda: gc.collect(0)))
        yield


@pytest.fixture(scope="session")
def stormy_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "stormy"
    Hurricane(agents=AGENTS, rng=SEED).run(folder)
    return folder


@pytest.fixture(scope="session")
def calm_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "calm"
    Hurricane(agents=AGENTS, rng=SEED, storm="none", orders="none").run(folder)
    return folder


@pytest.fixture(scope="session")
def stormy(stormy_folder: Path) -> Run:
    return load_run(stormy_folder)


@pytest.fixture(scope="session")
def calm(calm_folder: Path) -> Run:
    return load_run(calm_folder)
