"""Every command of the table can be imported, and takes the options that the table names."""

from importlib import import_module
from inspect import signature

import pytest

from memopolis.cli import read_commands

TABLE = read_commands()
NEED_EXTRAS = {"dashboard"}


@pytest.mark.parametrize("name", sorted(TABLE.keys() - NEED_EXTRAS))
def test_the_work_of_a_command_takes_its_options(name: str) -> None:
    module, function = TABLE[name]["work"].split(":")
    declared = signature(getattr(import_module(module), function), eval_str=True)
    kinds = [parameter.annotation.__name__ for parameter in declared.parameters.values()]
    assert kinds == [row.split(":")[1] for row in [TABLE[name].get("options", "")] if row]
