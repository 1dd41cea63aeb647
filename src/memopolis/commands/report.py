"""`memopolis report`: read a run's tables and draw its report."""

from pathlib import Path


def write(folder: Path) -> Path:
    """Write a run's report.

    Returns:
        Path of the page.

    Raises:
        RunFolderError: If there is no run, or it is broken.
    """
    from memopolis.analysis import write_report

    return write_report(folder)
