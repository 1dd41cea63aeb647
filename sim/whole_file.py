"""Files that appear whole or not at all."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memopolis.sim.own_files import refuse_links

WRITING = ".writing"
"""End of the name of a file that is not finished; it replaces the extension."""


def write_whole(path: Path, text: str) -> None:
    """Write a text file; the one that is there stays until all of the new one is written.

    Args:
        path: Of the file.
        text: Its content.

    Raises:
        OSError: If it cannot be written; a `RunFolderError` if a link is in its place.
    """
    with whole(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8")


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Replace a file by one that is written under another name first.

    Args:
        path: Of the file.

    Yields:
        Where to write it: beside it, ending in `.writing`. It takes its name when the block is
        left, and is removed if the block raises.

    Raises:
        OSError: If it cannot be replaced; a `RunFolderError` if a link is in its place.
    """
    unfinished = path.with_suffix(WRITING)
    refuse_links(path, unfinished)
    # A new file, since the old one may have a second name elsewhere.
    unfinished.unlink(missing_ok=True)
    try:
        yield unfinished
        unfinished.replace(path)
    except OSError:
        unfinished.unlink(missing_ok=True)
        raise
