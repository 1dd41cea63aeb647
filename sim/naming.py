"""What agents of all populations are called."""

from collections.abc import Iterable

import numpy as np

from memopolis.sim.population import Population


def unique_names(populations: Iterable[Population]) -> dict[str, int]:
    """unique_id by name, of the names that only one agent of a population has.

    Args:
        populations: Those of a society; of two that have a name, the later one keeps it.
    """
    names: dict[str, int] = {}
    for population in populations:
        columns = population.memory.columns
        if "name" not in columns.arrays:
            continue
        label, first, count = np.unique(
            columns.codes("name"), return_index=True, return_counts=True
        )
        for code, row in zip(label[count == 1], first[count == 1], strict=True):
            names[columns.label_of(int(code))] = int(population.ids[row])
    names.pop("", None)
    return names


def name_of(populations: Iterable[Population], unique_id: int) -> str:
    """Name of an agent: its attribute `name`, else its population and id; "someone" if unknown."""
    for population in populations:
        row = population.find(unique_id)
        if row is not None:
            columns = population.memory.columns
            named = "name" in columns.arrays
            return str(columns.read("name", row)) if named else f"{population.name} {unique_id}"
    return "someone"
