"""Execute runs on Ray: an existing cluster, or one of local processes."""

import logging
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from typing import Any

from memopolis.sim.errors import ServerError
from memopolis.sim.extras import require


class RayExecutor(Executor):
    """Execute each call as a Ray task, which Ray retries if its worker dies."""

    def submit[**P, T](
        self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
    ) -> "Future[T]":
        """Call a function in a Ray worker."""
        import ray

        future: Future[T] = ray.remote(max_retries=3)(fn).remote(*args, **kwargs).future()
        return future


@contextmanager
def ray_executor(address: str, workers: int) -> Iterator[tuple[Executor, int]]:
    """Open an executor on Ray workers.

    Args:
        address: Address of the cluster; "" for a local cluster.
        workers: Number of processes of a local cluster.

    Yields:
        The executor, and the number of calls it executes in parallel.

    Raises:
        ExtraError: If the package ray is not installed.
        ServerError: If no cluster answers.
    """
    require("ray", "ray", what="the executor ray")
    import ray

    where: dict[str, Any] = {"address": address} if address else {"num_cpus": workers}
    if not address:
        where["include_dashboard"] = False
    try:
        ray.init(log_to_driver=False, logging_level=logging.ERROR, **where)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise ServerError(
            f"no Ray cluster answers at {address or 'this machine'}: {error}"
        ) from None
    try:
        yield RayExecutor(), max(1, int(ray.cluster_resources().get("CPU", workers)))
    finally:
        ray.shutdown()
