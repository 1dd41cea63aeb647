"""Rewrite tables.md from small runs of all scenarios: `python docs/make_tables.py`."""

import tempfile
from pathlib import Path

from memopolis import BasicIncome, Hurricane, Polarization, Run, load_run
from memopolis.analysis.report.table_docs import tables_markdown
from memopolis.minds import LlmMind, ScriptedClient

PAGE = Path(__file__).with_name("tables.md")
BEGIN = "<!-- written by docs/make_tables.py -->\n"
_ASKED = {"survey.ask": "ces_d", "survey.every": 24.0}


def small_runs(folder: Path) -> dict[str, list[Run]]:
    """Run each scenario so that it records every table.

    Args:
        folder: Parent folder of the runs.

    Returns:
        Runs by the name of the scenario.
    """
    storm = Hurricane(agents=40, days=1, rng=1, **_ASKED)
    client = ScriptedClient(lambda _: '{"reason": "I heard nothing new.", "rating": 5}')
    storm.mind = LlmMind(client, seed=storm.seed, log=storm.log_calls)
    town = Polarization(agents=60, days=2, rng=1)
    country = BasicIncome(agents=60, days=60, start=1, rng=1)
    made = {"hurricane": storm, "polarization": town, "ubi": country}
    return {name: [load_run(one.run(folder / name))] for name, one in made.items()}


def page_of(runs: dict[str, list[Run]]) -> str:
    """Return the page: its hand-written part, then the tables."""
    top = PAGE.read_text(encoding="utf-8").partition(BEGIN)[0]
    return f"{top}{BEGIN}\n{tables_markdown(runs)}"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        PAGE.write_text(page_of(small_runs(Path(made))), encoding="utf-8")
