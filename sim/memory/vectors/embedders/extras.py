"""Packages that come with an extra, and one clear line where they are missing."""

from importlib.util import find_spec

from memopolis.sim.errors import ExtraError


def require(extra: str, *packages: str, what: str) -> None:
    """Refuse to go on without the packages of an extra.

    Args:
        extra: Name of the extra.
        packages: Names by which its packages are imported.
        what: What needs them.

    Raises:
        ExtraError: If one of them is not installed.
    """
    missing = [package for package in packages if find_spec(package) is None]
    if missing:
        raise ExtraError(f"{what} needs {' and '.join(missing)}: pip install 'memopolis[{extra}]'")
