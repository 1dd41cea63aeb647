"""`memopolis report` and `export`: write files that present a run."""

from memopolis.analysis import write_report
from memopolis.commands.options.reading import ExportOptions, ReportOptions
from memopolis.commands.terminal import counting, print_line


def report(options: ReportOptions) -> None:
    """Write the report of a run, and print its path."""
    print_line(str(write_report(options.folder)))


def export(options: ExportOptions) -> None:
    """Write a replay, an animated map or the network of a run, and print its path."""
    from memopolis.dashboard.export import export_run

    with counting("Drawing") as progress:
        export_run(**vars(options), progress=progress)
    print_line(str(options.file))
