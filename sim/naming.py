"""Titles of societies and unique names of agents."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memopolis.sim.population import Population


def title_of(class_name: str) -> str:
    """Name of a class as words: BasicIncome is "Basic income", SIRModel is "SIR model"."""
    neighbours = zip(f"_{class_name}", class_name, f"{class_name[1:]}_", strict=False)
    spaced = "".join(
        f" {letter}" if letter.isupper() and (not before.isupper() or after.islower()) else letter
        for before, letter, after in neighbours
    )
    first, *others = spaced.replace("_", " ").split() or [class_name]
    # Abbreviations, and letters such as that of a plan B, stay.
    others = [word if word.isupper() and word != "A" else word.lower() for word in others]
    return " ".join([first[:1].upper() + first[1:], *others])


def unique_names(populations: "Iterable[Population]") -> dict[str, int]:
    """unique_id by name, of the names that only one agent of a population has.

    Of two populations that have a name, the later one keeps it.
    """
    names: dict[str, int] = {}
    for population in populations:
        if "name" not in population.attributes:
            continue
        status = population.memory.status
        label, first, count = np.unique(
            status.encoded("name"), return_index=True, return_counts=True
        )
        labels = status.labels
        for code, row in zip(label[count == 1], first[count == 1], strict=True):
            names[labels[code]] = int(population.ids[row])
    names.pop("", None)
    return names
