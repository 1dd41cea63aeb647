"""Reading runs: tables, measures of behaviour, checks against real data, figures, the report.

Nothing here knows a live model: everything is read from the folder of a run, so that a run
made by another version, on another machine, or by a model of your own reads the same.
"""

from typing import TYPE_CHECKING, Any

from memopolis.analysis.load import Run, load_run

if TYPE_CHECKING:
    from memopolis.analysis.report import write_report

__all__ = ["Run", "load_run", "write_report"]


def __getattr__(name: str) -> Any:
    # The report draws figures; what it stands on is imported when it is asked for.
    if name == "write_report":
        from memopolis.analysis.report import write_report

        return write_report
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
