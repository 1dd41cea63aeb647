"""Ray: a cluster that runs, or one of processes of this machine."""

import logging
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from typing import Any

from memopolis.sim.errors import ServerError
from memopolis.sim.extras import require


class RayExecutor(Executor):
    """Runs each call as a task of Ray, which repeats one whose worker died."""

    def submit[**P, T](
        self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
    ) -> "Future[T]":
        """Let a worker of Ray call a function."""
        import ray

        made: Future[T] = ray.remote(max_retries=3)(fn).remote(*args, **kwargs).future()
        return made


@contextmanager
def ray_executor(address: str, workers: int) -> Iterator[tuple[Executor, int]]:
    """Give an executor on Ray's workers.

    Args:
        address: Of the cluster, "" for one of this machine.
        workers: Processes of such a cluster.

    Yields:
        The executor, and how many calls it makes at once.

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
