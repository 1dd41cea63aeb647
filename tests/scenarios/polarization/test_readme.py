"""What the README says beyond `tests/scenarios/test_readmes.py`."""

from tools.odd.polarization import ODD

from memopolis.scenarios.polarization.scenario import Polarization
from memopolis.sim.settings_text import describe

TEXT = ODD.readme.read_text(encoding="utf-8")


def test_every_model_and_arm_is_documented() -> None:
    options = {row.key: row.options for row in describe(Polarization.settings_class)}
    named = (*options["cognition.opinion.model"], *options["arm"])
    assert [name for name in named if f"`{name}`" not in TEXT] == []
