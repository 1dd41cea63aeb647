"""Parts on Dask and Ray give the tables of a society in one process, also if a worker dies."""

import socket
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.manifests import hashes

from memopolis.scenarios.hurricane.scenario import Hurricane
from memopolis.sim.errors import ExtraError
from memopolis.sim.executors import named
from memopolis.sim.parts.link import Hub

society = partial(Hurricane, rng=5, agents=100, days=1.0, checkpoint={"every": 6})


def kill_workers(executor: str) -> None:
    """Kill the processes that run actors, as a machine that fails does."""
    name = "ray::PartActor" if executor == "ray" else "from multiprocessing.spawn"
    for process in psutil.Process().children(recursive=True):
        line = " ".join(process.cmdline())
        if name in line and not process.children():
            process.kill()


@pytest.mark.extras
@pytest.mark.parametrize(("executor", "package"), [("dask", "distributed"), ("ray", "ray")])
def test_a_cluster_changes_no_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, executor: str, package: str
) -> None:
    pytest.importorskip(package)
    one = society().run(tmp_path / "one")
    divided = society(parts=2, executor=executor)
    exchange = Hub.exchange
    lost: list[str] = []

    def lose(hub: Hub, label: str, value: Any) -> list[Any]:
        if divided.clock.tick == 8 and not lost:
            lost.append(label)
            kill_workers(executor)
        return exchange(hub, label, value)

    monkeypatch.setattr(Hub, "exchange", lose)
    with pytest.warns(RuntimeWarning, match="part 1 of the society has died"):
        two = divided.run(tmp_path / executor)
    assert lost
    assert hashes(one) == hashes(two)


@pytest.mark.extras
def test_dask_listens_on_this_machine_only_and_on_free_ports() -> None:
    pytest.importorskip("distributed")
    with socket.socket() as usual:
        usual.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with suppress(OSError):  # taken by another program: as good
            usual.bind(("127.0.0.1", 8787))
            usual.listen()
        before = listening()
        with named._dask_cluster("", 1):
            added = listening() - before
    assert added
    assert {ip for ip, _ in added} == {"127.0.0.1"}


def listening() -> set[tuple[str, int]]:
    """Return the addresses at which this process listens, among them those of the scheduler."""
    connections = psutil.Process().net_connections("tcp")
    return {(*one.laddr,) for one in connections if one.status == psutil.CONN_LISTEN}


def test_a_missing_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(extra: str, *_: str, what: str) -> None:
        raise ExtraError(f"{what} needs {extra}")

    monkeypatch.setattr(named, "require", missing)
    for name in ("dask", "ray"):
        with pytest.raises(ExtraError, match=f"needs {name}"):
            society(parts=2, executor=name).run(tmp_path / name)
