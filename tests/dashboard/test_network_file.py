"""The network of a run as a file: it opens with networkx and equals the tables."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from memopolis import BasicIncome, Hurricane, Polarization
from memopolis.analysis import load_run
from memopolis.analysis.run.run import Run
from memopolis.dashboard.export import export_run
from memopolis.sim.errors import ParameterError

READ: dict[str, Callable[[Path], "nx.MultiGraph[Any]"]] = {
    ".graphml": lambda file: nx.read_graphml(file, force_multigraph=True),
    ".gexf": lambda file: nx.MultiGraph(nx.read_gexf(file)),
}
HOSTILE = '"Zoë" & <b>\'O\x00\x1b[31m\x85\ufffe\uffff"]]> 東京'


@pytest.fixture(scope="module")
def storm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of a hurricane, of which one citizen has a hostile name."""
    society = Hurricane(rng=1, agents=40, days=2)
    status = society.population("citizen").cohort()
    names = status["name"].astype(object)
    names[:] = [f"{HOSTILE} {number}" for number in range(len(names))]
    status["name"] = np.array(names, object)
    return society.run(tmp_path_factory.mktemp("network") / "storm")


@pytest.fixture(scope="module")
def opinions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("network") / "opinions"
    return Polarization(rng=1, agents=40, days=7).run(folder)


def check(run: Run, graph: "nx.MultiGraph[Any]", renamed: dict[str, str]) -> None:
    """Check that nodes and ties are those of the tables."""
    ties, people = run.ties(), run.people().set_index("agent")
    tied = {*ties["source"], *ties["target"]}
    assert {int(node) for node in graph} == tied
    edges = sorted(
        (*sorted((int(one), int(other))), kind) for one, other, kind in graph.edges(data="kind")
    )
    assert edges == sorted(
        (*sorted((one, other)), kind) for one, other, kind in ties.itertuples(index=False)
    )
    columns = [name for name in map(str, people) if name not in {"tick", "time", "thought", "name"}]
    for node, own in graph.nodes(data=True):
        row = people.loc[int(node)]
        for name in columns:
            if pd.isna(row[name]):
                assert name not in own
            else:
                assert own[renamed.get(name, name)] == row[name], name


@pytest.mark.parametrize("kind", READ)
@pytest.mark.parametrize(("name", "step"), [("storm", None), ("storm", 24), ("opinions", 3)])
def test_nodes_and_ties_equal_the_tables(
    request: pytest.FixtureRequest, tmp_path: Path, kind: str, name: str, step: int | None
) -> None:
    folder = request.getfixturevalue(name)
    file = tmp_path / f"network{kind}"
    export_run(folder, file, step=step)
    run = load_run(folder) if step is None else load_run(folder).until(step)
    # GEXF has a meaning of its own for pid.
    check(run, READ[kind](file), {"pid": "pid_"} if kind == ".gexf" else {})


def test_attitudes_differ_between_steps(opinions: Path, tmp_path: Path) -> None:
    views = []
    for step in (1, 7):
        export_run(opinions, tmp_path / "network.gexf", step=step)
        graph = READ[".gexf"](tmp_path / "network.gexf")
        views.append(dict(graph.nodes(data="attitude.gun_control")))
    assert views[0].keys() == views[1].keys()
    assert views[0] != views[1]


@pytest.mark.parametrize("kind", READ)
def test_hostile_names_do_not_break_the_file(storm: Path, tmp_path: Path, kind: str) -> None:
    file = tmp_path / f"network{kind}"
    export_run(storm, file)
    names = {name for _, name in READ[kind](file).nodes(data="name")}
    assert len(names) == len(load_run(storm).people())
    mark = "\ufffd"
    kept = f'"Zoë" & <b>\'O{mark}{mark}[31m{mark}{mark}{mark}"]]> 東京'
    assert all(name.startswith(kept) for name in names)


def test_kinds_of_ties_are_cleaned_too(storm: Path, tmp_path: Path) -> None:
    run = load_run(storm)
    ties = run.ties().assign(kind="a\x01b")
    run.ties = lambda *_: ties  # type: ignore[method-assign]
    from memopolis.dashboard.export import network_file

    for kind, read in READ.items():
        file = tmp_path / f"network{kind}"
        file.write_bytes(network_file(run, kind))
        assert {one for *_, one in read(file).edges(data="kind")} == {"a\ufffdb"}


def test_bad_input_is_refused(storm: Path, tmp_path: Path) -> None:
    def refused(words: str, folder: Path = storm, file: str = "x.gexf", **asked: Any) -> None:
        with pytest.raises(ParameterError, match=words):
            export_run(folder, tmp_path / file, **asked)
        assert not (tmp_path / file).exists()

    refused("step is 49; the run has the steps 0 to 48", step=49)
    refused("give step, not start, end or every", every=3)
    refused("give start, end and every, not step", file="x.html", step=3)
    refused("step is -1; allowed are whole numbers", step=-1)
    few = {"tables": ("agents", "measures")}
    without = BasicIncome(rng=1, agents=20, days=31, amount=0, record=few).run(tmp_path / "ubi")
    refused("recorded no ties", folder=without)
