"""Optional packages that are installed with an extra."""

from importlib.util import find_spec

from memopolis.sim.errors import ExtraError


def require(extra: str, *packages: str, what: str) -> None:
    """Check that packages of an extra are installed; `what` is the feature that needs them.

    Raises ExtraError if a package is not installed.
    """
    missing = [package for package in packages if find_spec(package) is None]
    if missing:
        raise ExtraError(f"{what} needs {' and '.join(missing)}: pip install 'memopolis[{extra}]'")
