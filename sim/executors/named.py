"""Open an executor by its name, as in `--executor`."""

import os
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager

from memopolis.sim.arguments import whole_number
from memopolis.sim.executors.clusters import dask_executor, ray_executor
from memopolis.sim.executors.names import check_name
from memopolis.sim.executors.processes import Processes
from memopolis.sim.threads import usable_cores

# Read by the libraries on import, hence set before a process starts.
_ONE_THREAD = dict.fromkeys(
    ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"
)


def check_executor(executor: Executor | str, workers: int | None) -> None:
    """Refuse an invalid executor or number of workers, before anything is written."""
    if workers is not None:
        whole_number("workers", workers, least=1)
    if isinstance(executor, Executor):
        return
    check_name(executor)


@contextmanager
def opened(executor: Executor | str, workers: int | None) -> Iterator[tuple[Executor, int]]:
    """Open an executor, one of `NAMES`, and close it on exit; an executor object is not closed.

    Yields the executor, and the number of calls it executes in parallel: `workers`, by default the
    number of cores, or the size of the cluster.
    """
    check_executor(executor, workers)
    count = workers or usable_cores()
    if isinstance(executor, Executor):
        own: int = getattr(executor, "_max_workers", count)
        yield executor, workers or own
        return
    name, _, address = executor.partition("=")
    with _one_thread():
        if name == "processes":
            with Processes(count) as processes:
                yield processes, count
        else:
            make = dask_executor if name == "dask" else ray_executor
            with make(address, count) as made:
                yield made


@contextmanager
def _one_thread() -> Iterator[None]:
    """Limit processes started inside to one thread each."""
    before = {name: os.environ.get(name) for name in _ONE_THREAD}
    os.environ.update(_ONE_THREAD)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
