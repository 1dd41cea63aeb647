"""Memory and time are estimated before a society is built; what does not fit is refused."""

from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memopolis import BasicIncome, Hurricane, Polarization, Settings, Society
from memopolis.cli import app
from memopolis.errors import SettingsError
from memopolis.sim import run_size
from memopolis.sim.footprint import Footprint
from memopolis.sim.run_size import available_memory as left
from memopolis.sim.run_size import check_size, check_sizes, estimate_size


class Town(Society[Settings]):
    """A society that declares what its agents cost."""

    footprint = Footprint(
        base=1e8, built=1_000, agent=3_000, step=100, build_seconds=1e-5, step_seconds=1e-6
    )


def settings(agents: int, *, days: float = 1.0, tick: float = 1.0) -> Settings:
    return Settings(agents=agents, days=days, tick=tick)


def give(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    monkeypatch.setattr(run_size, "available_memory", lambda: number)


def test_memory_and_time_grow_with_agents_and_steps() -> None:
    size = estimate_size(Town, settings(1_000_000))
    assert size.bytes == pytest.approx(1e8 + 1e6 * (3_000 + 24 * 100))
    assert size.seconds == pytest.approx(1e6 * (1e-5 + 24 * 1e-6))
    assert str(size) == "about 5.5 GB and 34 s"
    longer = estimate_size(Town, settings(1_000_000, days=3, tick=6))
    assert longer.bytes < size.bytes  # 12 steps
    full = [estimate_size(Town, settings(10, days=days)).bytes for days in (1_000, 30_000)]
    assert full[0] == full[1]  # an agent keeps at most 1,000 memories
    assert estimate_size(Town, settings(10, tick=5e-324)).bytes == full[0]


def test_the_largest_number_that_fits_is_named_and_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    give(monkeypatch, 2_000_000_000)
    with pytest.raises(SettingsError) as caught:
        check_size(Town, settings(2_000_000))
    assert str(caught.value) == (
        "2,000,000 agents need about 10.9 GB of memory, and 2.0 GB are available; set at most "
        "351,851 agents, or --force (force=True) to try it anyway"
    )
    check_size(Town, settings(351_851))
    with pytest.raises(SettingsError):
        check_size(Town, settings(351_853))
    assert check_size(Town, settings(2_000_000), force=True).agents == 2_000_000


def test_parallel_runs_share_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    give(monkeypatch, 2_000_000_000)
    many = [settings(10), settings(300_000), settings(20)]
    check_sizes(Town, many, runs=1, force=False)
    with pytest.raises(SettingsError, match=r"300,000 agents in each of 2 runs .* or fewer worker"):
        check_sizes(Town, many, runs=2, force=False)
    check_sizes(Town, many, runs=2, force=True)


def test_a_small_run_is_not_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> int:
        raise AssertionError

    monkeypatch.setattr(run_size, "available_memory", fail)
    assert not check_size(Town, settings(1_000)).is_large


@pytest.mark.parametrize("scenario", [BasicIncome, Hurricane, Polarization])
def test_shipped_scenarios_declare_a_footprint(scenario: type[Society[Settings]]) -> None:
    assert scenario.footprint is not Society.footprint
    usual = scenario.settings_class()
    thousand = estimate_size(scenario, usual.with_changes({"agents": 1_000}))
    assert thousand.is_small
    huge = estimate_size(scenario, usual.with_changes({"agents": 10_000_000}))
    assert huge.bytes > 5e10


TOWN = """
from memopolis import Agent, Measure, Settings, Society, attribute

class Person(Agent):
    wealth: int = attribute(1, "Units owned")

class Town(Society[Settings]):
    measures = (Measure("wealth", "wealth", population="person", chart="Wealth"),)

    def build(self, settings):
        self.populate(Person, settings.agents)
"""
SWEEP = 'scenario = "town.py:Town"\n[settings]\ndays = 0.1\nagents = 5\n[factors]\ntick = [1, 2]\n'
SMALL = ("--agents", "5", "--days", "0.1")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a scenario, a design and a run."""
    folder = tmp_path_factory.mktemp("sizes")
    (folder / "town.py").write_text(TOWN, encoding="utf-8")
    (folder / "design.toml").write_text(SWEEP, encoding="utf-8")
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.chdir(folder)
        arguments = ["run", "town.py:Town", *SMALL, "--no-report", "--out", "first"]
        assert CliRunner().invoke(app, arguments).exit_code == 0
    return folder


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "town.py:Town", *SMALL),
        ("dashboard", "town.py:Town", *SMALL),
        ("resume", "first", "--days", "1"),
        ("fork", "first", "--at", "1"),
        ("repeat", "first"),
        ("sweep", "design.toml", "--workers", "2"),
        ("compare", "town.py:Town", "--arms", "tick=1,tick=2", *SMALL, "--workers", "2"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_commands_refuse_too_large_runs_unless_forced(
    made: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.chdir(made)
    monkeypatch.setattr(run_size, "SMALL_BYTES", 0)
    give(monkeypatch, 1_000_000)
    before = sorted(path.name for path in made.iterdir())
    refused = CliRunner().invoke(app, list(arguments))
    assert refused.exit_code == 2
    (line,) = refused.stderr.splitlines()
    assert line.startswith("memopolis: 5 agents")
    assert "set at most 0 agents" in line
    assert "--force" in line
    assert sorted(path.name for path in made.iterdir()) == before


def test_force_runs_and_a_large_run_is_announced(
    made: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(made)
    monkeypatch.setattr(run_size, "SMALL_BYTES", 0)
    give(monkeypatch, 1_000_000)
    out = ("--no-report", "--out", str(tmp_path / "forced"))
    forced = CliRunner().invoke(app, ["run", "town.py:Town", *SMALL, *out, "--force"])
    assert forced.exit_code == 0
    assert forced.stderr.startswith("5 agents: about 0.3 GB and 0 s, estimated")


GROUPS = {
    "version 2": {
        "proc/self/cgroup": "0::/run.slice/job\n",
        "sys/fs/cgroup/run.slice/memory.max": "3000\n",
        "sys/fs/cgroup/run.slice/memory.current": "2500\n",
        "sys/fs/cgroup/run.slice/memory.stat": "anon 2000\ninactive_file 400\n",
        "sys/fs/cgroup/run.slice/job/memory.max": "max\n",
        "sys/fs/cgroup/run.slice/job/memory.current": "2500\n",
    },
    "version 1": {
        "proc/self/cgroup": "5:cpu:/x\n4:memory:/job\n",
        "sys/fs/cgroup/memory/job/memory.limit_in_bytes": "3000\n",
        "sys/fs/cgroup/memory/job/memory.usage_in_bytes": "2500\n",
        "sys/fs/cgroup/memory/job/memory.stat": "total_inactive_file 400\n",
        "sys/fs/cgroup/memory/memory.limit_in_bytes": f"{2**63 - 4096}\n",
        "sys/fs/cgroup/memory/memory.usage_in_bytes": "2500\n",
    },
}


@pytest.mark.parametrize("files", GROUPS.values(), ids=GROUPS)
def test_the_limit_of_a_container_counts(tmp_path: Path, files: dict[str, str]) -> None:
    assert left(tmp_path) > 1_000_000  # without files, what the machine has
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert left(tmp_path) == 900


def test_a_footprint_counts_full_streams_once() -> None:
    one = replace(Town.footprint, step=1e9)
    assert one.bytes_of_agent(10) == one.bytes_of_agent(1)
