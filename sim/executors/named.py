"""Open an executor by its name, as in `--executor`: local processes, Dask or Ray.

Each function for a cluster takes its address, "" for a local one with a number of processes. Those
of executors yield an executor and the number of calls that it executes in parallel.
"""

import logging
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from typing import Any

from memopolis.sim.arguments import whole_number
from memopolis.sim.errors import ServerError
from memopolis.sim.executors.names import check_name
from memopolis.sim.executors.processes import Processes
from memopolis.sim.extras import require
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


@contextmanager
def dask_executor(address: str, workers: int) -> Iterator[tuple[Executor, int]]:
    """Open an executor on Dask workers."""
    with dask_client(address, workers) as client:
        # pure=False: equal calls must not share a cached result.
        executor: Executor = client.get_executor(pure=False)
        yield executor, max(1, sum(client.ncores().values()))


@contextmanager
def dask_client(address: str, workers: int) -> Iterator[Any]:
    """Open a client of Dask workers; ServerError if no scheduler answers."""
    require("dask", "distributed", what="the executor dask")
    from distributed import Client

    with _dask_cluster(address, workers) as cluster:
        try:
            client = Client(cluster, timeout=20)
        except (OSError, ValueError) as error:
            raise ServerError(
                f"no Dask scheduler answers at {address or 'localhost'}: {error}"
            ) from None
        with client:
            yield client


@contextmanager
def _dask_cluster(address: str, workers: int) -> Iterator[Any]:
    if address:
        yield address
        return
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        # Its server would otherwise take port 8787 of all addresses of this machine.
        scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
    ) as cluster:
        yield cluster


@contextmanager
def ray_executor(address: str, workers: int) -> Iterator[tuple[Executor, int]]:
    """Open an executor on Ray workers."""
    with ray_cluster(address, workers) as ray:
        yield _RayExecutor(), max(1, int(ray.cluster_resources().get("CPU", workers)))


@contextmanager
def ray_cluster(address: str, workers: int) -> Iterator[Any]:
    """Connect to Ray workers, and yield the module ray; ServerError if no cluster answers."""
    require("ray", "ray", what="the executor ray")
    import ray

    where: dict[str, Any] = (
        {"address": address} if address else {"num_cpus": workers, "include_dashboard": False}
    )
    try:
        ray.init(log_to_driver=False, logging_level=logging.ERROR, **where)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise ServerError(f"no Ray cluster answers at {address or 'localhost'}: {error}") from None
    try:
        yield ray
    finally:
        ray.shutdown()


class _RayExecutor(Executor):
    """Execute each call as a Ray task, which Ray retries if its worker dies."""

    def submit[**P, T](
        self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
    ) -> "Future[T]":
        """Call a function in a Ray worker."""
        import ray

        future: Future[T] = ray.remote(max_retries=3)(fn).remote(*args, **kwargs).future()
        return future
