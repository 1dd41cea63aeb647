"""Read runs: tables, measures, checks against real data, figures and reports.

Everything is read from the folder of a run or its recorder, never from a live model, so runs of
other versions, other machines and your own models read the same.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memopolis.analysis.report.report import write_report
    from memopolis.analysis.run.run import Run, load_run

__all__ = ["Run", "load_run", "write_report"]

_MODULES = {"Run": "run.run", "load_run": "run.run", "write_report": "report.report"}


def __getattr__(name: str) -> Any:
    # Imported on first use: the process that runs SQL queries needs none of it, and the report
    # draws figures.
    if name in _MODULES:
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
