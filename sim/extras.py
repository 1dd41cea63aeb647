"""Optional packages that are installed with an extra."""

from importlib.util import find_spec

from memopolis.sim.errors import ExtraError


def require(extra: str, *packages: str, what: str) -> None:
    """Raise ExtraError if packages of an extra, which `what` needs, are not installed."""
    missing = [package for package in packages if find_spec(package) is None]
    if missing:
        raise ExtraError(f"{what} needs {' and '.join(missing)}: pip install 'memopolis[{extra}]'")
