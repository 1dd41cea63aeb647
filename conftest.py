"""The code in README and docs is run by the tests, each page in a folder of its own.

No test and no page reaches a model by mistake: that is switched off but for those marked `llm`.
"""

import os
import sys
import tempfile
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from sybil import Document, Sybil
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser

_ABOUT_MODELS = ("MEMOPOLIS_MODEL", "MEMOPOLIS_BASE_URL")


def _shell_blocks() -> ModuleType:
    """The module beside the tests of the pages; the tests' folder is on no path by now."""
    name = "tests.docs.shell_blocks"
    place = Path(__file__).parent / "tests" / "docs" / "shell_blocks.py"
    spec = spec_from_file_location(name, place)
    if spec is None or spec.loader is None:
        raise ImportError(f"{place} cannot be imported")
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_SHELL = _shell_blocks()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Switch models off or on, before any fixture of the test is made."""
    for name in _ABOUT_MODELS:
        os.environ.pop(name, None)
    if item.get_closest_marker("llm") is None:
        os.environ["MEMOPOLIS_MODELS"] = "off"
    else:
        os.environ.pop("MEMOPOLIS_MODELS", None)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Leave to the tests of the extras what is slow, and pages whose code is another's."""
    parsed = getattr(getattr(item, "example", None), "parsed", None)
    if getattr(parsed, "mark", "") == "slow" or item.path.name.endswith(".zh.md"):
        item.add_marker("extras")
    if item.path.name == "calibration.md":
        # Other people's packages, which warn of this and that when they are imported.
        item.add_marker("extras")
        item.add_marker(pytest.mark.filterwarnings("default"))


class _Page(Document):
    """A page; its blocks that are files are there from its start."""

    def __init__(self, text: str, path: str) -> None:
        super().__init__(text, path)
        self.namespace["_page"] = text


def _enter(namespace: dict[str, Any]) -> None:
    namespace["_here"] = Path.cwd()
    namespace["_folder"] = tempfile.TemporaryDirectory()
    os.chdir(namespace["_folder"].name)
    _SHELL.write_named_files(namespace["_page"], Path.cwd())


def _leave(namespace: dict[str, Any]) -> None:
    os.chdir(namespace["_here"])
    namespace["_folder"].cleanup()


pytest_collect_file = Sybil(
    parsers=[
        PythonCodeBlockParser(),
        _SHELL.ShellParser(),
        _SHELL.OutputParser(),
        SkipParser(),
    ],
    patterns=["README.md", "README.zh.md", "docs/*.md", "docs/*/*.md"],
    document_types={".md": _Page},
    setup=_enter,
    teardown=_leave,
).pytest()
