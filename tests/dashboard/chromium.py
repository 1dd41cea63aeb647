"""The browser: Debian's chromium, or the one that MEMOPOLIS_CHROMIUM names."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CHROMIUM = Path(os.environ.get("MEMOPOLIS_CHROMIUM") or "/usr/bin/chromium")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)


@contextmanager
def chromium() -> Iterator["Browser"]:
    """Open it, without a window, for as long as the block lasts."""
    from playwright.sync_api import sync_playwright

    assert CHROMIUM.exists(), f"no {CHROMIUM}: `make chromium`, or name one by MEMOPOLIS_CHROMIUM"
    with sync_playwright() as driver:
        result = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield result
        result.close()
