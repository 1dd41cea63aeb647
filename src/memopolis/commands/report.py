"""`memopolis report`: write the report of a run from its tables."""

from pathlib import Path


def write(folder: Path) -> Path:
    """Write a run's report.

    Returns:
        Path of the page.

    Raises:
        RunFolderError: If the folder has no run or a damaged one.
    """
    from memopolis.analysis import write_report

    return write_report(folder)
