"""One small run with a storm and its pair without, made once for all tests of analysis."""

from pathlib import Path

import pytest

from memopolis.analysis import Run, load_run
from memopolis.scenarios.hurricane import Hurricane

AGENTS = 300
SEED = 5


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
