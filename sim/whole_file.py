"""Files that appear whole or not at all."""

from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Write a text file; what stood there stays until all of the new one is written.

    Args:
        path: Of the file. What is unfinished lies beside it and ends in `.writing`.
        text: What it holds.

    Raises:
        OSError: If it cannot be written.
    """
    unfinished = path.with_suffix(".writing")
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(path)
