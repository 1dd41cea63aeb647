"""`memopolis merge`: shards of a sweep, made on several machines, put together."""

from collections.abc import Sequence
from pathlib import Path

from memopolis.commands.sweep import print_results
from memopolis.commands.terminal import asides, counting_runs
from memopolis.sim.sweep.merge import merge


def merge_shards(out: Path, shards: Sequence[Path]) -> bool:
    """Put shards into one folder and print what they came to.

    Returns:
        Whether no run failed.

    Raises:
        MemopolisError: If they cannot be put together.
    """
    from memopolis.analysis.sweep.results import load_sweep

    with counting_runs("merging") as progress:
        made = merge(out, shards, progress=progress)
    found = load_sweep(out)
    with asides().status("Writing runs.csv ...", spinner="line"):
        found.save()
    print_results(found)
    return not made.failed
