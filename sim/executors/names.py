"""Names of executors, as in `--executor` and the setting `executor`."""

from memopolis.sim.errors import ParameterError

NAMES = ("processes", "dask", "dask=ADDRESS", "ray", "ray=ADDRESS")


def check_name(executor: object) -> None:
    """Refuse a name that is not one of `NAMES`.

    Raises:
        ParameterError: If it is not.
    """
    name, equals, address = str(executor).partition("=")
    is_cluster = name in {"dask", "ray"} and (bool(address) or not equals)
    if not isinstance(executor, str) or not (is_cluster or executor == "processes"):
        raise ParameterError(
            f"executor is {executor!r}; choose from {', '.join(NAMES)}, or in Python give a "
            "concurrent.futures.Executor"
        )
