"""Run the main parts of an installed Memopolis once, to see whether its dependencies fit.

Used by `make test-lowest`. It imports nothing but the package.
"""

import tempfile
from pathlib import Path

import matplotlib as mpl
from typer.testing import CliRunner

from memopolis import BasicIncome, Hurricane, Memory, Polarization, load_run
from memopolis.cli import app

SMALL = {
    Hurricane: {"agents": 60, "days": 4},
    Polarization: {"agents": 60, "days": 8},
    BasicIncome: {"agents": 60, "days": 120, "start": 2},
}
"""Settings of a short run of each scenario."""

DESIGN = """
scenario = "polarization"
replications = 2
[settings]
agents = 30
days = 2
[factors]
arm = ["none", "cross"]
"""


def main() -> None:
    """Run everything, and raise an error where anything fails."""
    mpl.use("agg")
    with tempfile.TemporaryDirectory() as folder:
        runs = Path(folder)
        for scenario, settings in SMALL.items():
            check_run(scenario(rng=1, **settings).run(runs / scenario.__name__))
        check_commands(runs)
        check_sweep(runs)
    check_memory()


def check_run(folder: Path) -> None:
    """Read the tables and facts of a run."""
    run = load_run(folder)
    if run.agents.empty or run.memories.empty or not run.facts:
        raise AssertionError(f"{folder.name}: no agents, memories or facts")


def check_commands(runs: Path) -> None:
    """Use the commands that read tables, draw figures and check files."""
    run = str(runs / "Hurricane")
    for arguments in (["show", run, "--agent", "1"], ["report", run], ["verify", run]):
        run_command(*arguments)


def run_command(*arguments: str) -> None:
    """Run a command of `memopolis`, and raise its error."""
    result = CliRunner().invoke(app, arguments)
    if result.exit_code:
        raise AssertionError(
            f"memopolis {' '.join(arguments)}: {result.output}"
        ) from result.exception


def check_sweep(runs: Path) -> None:
    """Run a design of two runs in processes of their own."""
    design = runs / "design.toml"
    design.write_text(DESIGN, encoding="utf-8")
    run_command("sweep", str(design), "--out", str(runs / "sweep"))


def check_memory() -> None:
    """Search a memory that belongs to no society."""
    memory = Memory(agents=2)
    ann = memory[0]
    ann.stream.add("work", "The meeting was moved to Friday.")
    ann.stream.add("food", "The bakery closed early.")
    if ann.stream.search("when is the meeting?", k=1)[0].topic != "work":
        raise AssertionError("the wrong memory was recalled")


if __name__ == "__main__":
    main()
