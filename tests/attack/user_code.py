"""Mistakes in a block of the user: the message says where they are."""

from functools import partial

from tests.attack.case import Case, Outcome, judge
from tests.attack.commands import call
from tests.attack.workshop import Workshop

_USER_CODE = """\
from memopolis import Agent, Block, Citizen, Settings, Society, attribute


class Villager(Citizen):
    errands: int = attribute(0, description="Errands", record=True)


class Errand(Block):
    {form}
        {line}  # the mistake


class Village(Society[Settings]):
    def build(self, settings):
        self.populate(Villager, settings.agents, blocks=[Errand()])
"""
_LINE = 10
_ACT, _STEP = "def act(self, villager):", "def step(self, villagers):"
_MISTAKES = {
    "importance 3.0": (_ACT, "villager.memory.stream.add('social', 'hello', importance=3.0)"),
    "a misspelt attribute": (_ACT, "villager.erands = 1"),
    "an attribute that is not there, read": (_ACT, "villager.memory.status['erands']"),
    "a misspelt column": (_STEP, "villagers.status['errands'] = villagers.status['erands']"),
    "a division by zero": (_ACT, "1 / 0"),
    "a column of the wrong length": (_STEP, "villagers.status['errands'] = [1, 2]"),
}


def _mistake(workshop: Workshop, *, form: str, line: str) -> Outcome:
    """Make a mistake in a block; the message must say where."""
    source = workshop.folder / "village.py"
    source.write_text(_USER_CODE.format(form=form, line=line))
    words = ("run", "village.py:Village", "--agents", "5", "--days", "1", "--no-report")
    result = call(*words, "--out", "run", cwd=workshop.folder)
    faults = result.refusal_faults()
    message = result.errors[-1] if result.errors else ""
    wanted = ["village.py", str(_LINE), "errand", "step"]
    wanted += ["villager"] if form == _ACT else []
    faults += [f"no {word} in: {message}" for word in wanted if word not in message.lower()]
    return judge(faults, message)


CASES = [
    Case(
        f"a block of the user with {name}",
        "one line with file, line, block and step, and the agent if there is one",
        partial(_mistake, form=form, line=line),
    )
    for name, (form, line) in _MISTAKES.items()
]
