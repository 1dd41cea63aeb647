"""Execute runs on Dask: an existing cluster, or one of local processes."""

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any

from memopolis.sim.errors import ServerError
from memopolis.sim.extras import require


@contextmanager
def dask_executor(address: str, workers: int) -> Iterator[tuple[Executor, int]]:
    """Open an executor on Dask workers.

    Args:
        address: Address of the scheduler; "" for a local cluster.
        workers: Number of processes of a local cluster.

    Yields:
        The executor, and the number of calls it executes in parallel.

    Raises:
        ExtraError: If the package distributed is not installed.
        ServerError: If no scheduler answers.
    """
    require("dask", "distributed", what="the executor dask")
    from distributed import Client

    with _cluster(address, workers) as cluster:
        try:
            client = Client(cluster, timeout=20)
        except (OSError, ValueError) as error:
            raise ServerError(f"no Dask scheduler answers at {address}: {error}") from None
        with client:
            # pure=False: equal calls must not share a cached result.
            executor: Executor = client.get_executor(pure=False)
            yield executor, max(1, sum(client.ncores().values()))


@contextmanager
def _cluster(address: str, workers: int) -> Iterator[Any]:
    if address:
        yield address
        return
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address=None,
    ) as cluster:
        yield cluster
