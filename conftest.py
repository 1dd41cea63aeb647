"""The code in README and docs is run by the tests, each page in a folder of its own.

No test and no page reaches a model by mistake: that is switched off but for those marked `llm`.
"""

import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser

_ABOUT_MODELS = ("MEMOPOLIS_MODEL", "MEMOPOLIS_BASE_URL")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Switch models off or on, before any fixture of the test is made."""
    for name in _ABOUT_MODELS:
        os.environ.pop(name, None)
    if item.get_closest_marker("llm") is None:
        os.environ["MEMOPOLIS_MODELS"] = "off"
    else:
        os.environ.pop("MEMOPOLIS_MODELS", None)


def _enter(namespace: dict[str, Any]) -> None:
    namespace["_here"] = Path.cwd()
    namespace["_folder"] = tempfile.TemporaryDirectory()
    os.chdir(namespace["_folder"].name)


def _leave(namespace: dict[str, Any]) -> None:
    os.chdir(namespace["_here"])
    namespace["_folder"].cleanup()


pytest_collect_file = Sybil(
    parsers=[PythonCodeBlockParser(), SkipParser()],
    patterns=["README.md", "docs/*.md"],
    setup=_enter,
    teardown=_leave,
).pytest()
