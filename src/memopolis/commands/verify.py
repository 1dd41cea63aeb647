"""`memopolis verify`: compare every file of a run, or of a sweep's runs, with what was written."""

from pathlib import Path

from memopolis.commands.terminal import results
from memopolis.sim.verifying import verify


def verify_folder(folder: Path) -> bool:
    """Print what is wrong with a run or a sweep.

    Args:
        folder: Of the run or the sweep.

    Returns:
        Whether nothing is damaged.

    Raises:
        RunFolderError: If it is neither.
    """
    found = verify(folder)
    out = results()
    for one in found:
        kind = "damaged" if one.is_damage else "note"
        out.print(f"{kind:8} {one.path}: {one.text}", soft_wrap=True, markup=False)
    damaged = sum(one.is_damage for one in found)
    verdict = f"{damaged:,} damaged" if damaged else "nothing is damaged"
    out.print(f"{folder}: {verdict}", soft_wrap=True, markup=False)
    return not damaged
