"""`memopolis merge`: merge the shards of a sweep that ran on several machines."""

from collections.abc import Sequence
from pathlib import Path

from memopolis.commands.sweep import print_results
from memopolis.commands.terminal import counting_runs, stderr_console
from memopolis.sim.sweep.merge import merge


def merge_shards(out: Path, shards: Sequence[Path]) -> bool:
    """Merge shards into one folder and print the results.

    Returns:
        Whether no run failed.

    Raises:
        MemopolisError: If they cannot be merged.
    """
    from memopolis.analysis.sweep.results import load_sweep

    with counting_runs("merging") as progress:
        made = merge(out, shards, progress=progress)
    merged = load_sweep(out)
    with stderr_console().status("Writing runs.csv ...", spinner="line"):
        merged.save()
    print_results(merged)
    return not made.failed
