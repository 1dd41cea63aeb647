"""`memopolis verify`: verify the checksums of the files of a run or a sweep."""

from pathlib import Path

from memopolis.commands.terminal import stdout_console
from memopolis.sim.verifying import verify


def verify_folder(folder: Path) -> bool:
    """Print all damaged files of a run or a sweep.

    Args:
        folder: Folder of the run or the sweep.

    Returns:
        Whether no file is damaged.

    Raises:
        RunFolderError: If the folder has neither.
    """
    findings = verify(folder)
    out = stdout_console()
    for one in findings:
        kind = "damaged" if one.is_damage else "note"
        out.print(f"{kind:8} {one.path}: {one.text}", soft_wrap=True, markup=False)
    damaged = sum(one.is_damage for one in findings)
    verdict = f"{damaged:,} damaged" if damaged else "no damage"
    out.print(f"{folder}: {verdict}", soft_wrap=True, markup=False)
    return not damaged
