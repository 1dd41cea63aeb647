"""Connect to Dask or Ray: an existing cluster, or one of local processes.

Each function takes the address of a cluster, "" for a local one with a number of processes. Those
of executors yield an executor and the number of calls that it executes in parallel.
"""

import logging
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from typing import Any

from memopolis.sim.errors import ServerError
from memopolis.sim.extras import require


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
