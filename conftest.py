"""Run the code in README and docs as tests, and distribute tests over workers.

Each page runs in its own folder. Workers of pytest-xdist get whole files, so that fixtures of a
module are created once; the longest files come first, so that all workers end at about the same
time.

Tests and pages cannot reach a model by mistake: models are switched off except for tests marked
`llm`.
"""

import os
import sys
import tempfile
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings
from sybil import Document, Sybil
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser

# A slow example on a busy machine is no failure.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

if TYPE_CHECKING:
    from xdist.scheduler import LoadFileScheduling

_LONGEST = (
    "tests/notebooks/",
    "tests/dashboard/browser/",
    "tests/sim/memory/vectors/embedders/",
    "tests/mcp_server/",
    "tests/contracts/",
    "tests/test_validate.py",
    "tests/extras/",
    "tests/benchmarks/",
    "tests/docs/",
    "docs/",
    "README",
    "tests/properties/",
    "tests/test_",
    "tests/golden/",
    "tests/scenarios/",
    "tests/sim/sweep/",
    "tests/sim/running/",
)
"""First characters of the ids of the tests that take longest, in the order in which they start."""
_LAST = "tests/scenarios/test_settings_act.py"
"""Some hundred short tests without shared fixtures, which fill up the workers at the end."""
_ONE_BY_ONE = ("tests/notebooks/", _LAST)
"""Files too long for one worker, whose tests are distributed one by one."""
_ABOUT_MODELS = ("MEMOPOLIS_MODEL", "MEMOPOLIS_BASE_URL")


def _shell_blocks() -> ModuleType:
    """Import the parser of shell blocks; the folder of the tests is not on the path yet."""
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
    """Switch models off or on before the fixtures of a test."""
    for name in _ABOUT_MODELS:
        os.environ.pop(name, None)
    if item.get_closest_marker("llm") is None:
        os.environ["MEMOPOLIS_MODELS"] = "off"
    else:
        os.environ.pop("MEMOPOLIS_MODELS", None)


def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Remove the minds that a file registered, after its last test."""
    registry = sys.modules.get("memopolis.sim.mind.registry")
    if registry is not None and (nextitem is None or nextitem.path != item.path):
        registry._added.clear()  # noqa: SLF001 - users never remove a mind


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest files first; otherwise keep the order."""

    def place(item: pytest.Item) -> int:
        long = (n for n, begins in enumerate(_LONGEST) if item.nodeid.startswith(begins))
        return next(long, len(_LONGEST) + item.nodeid.startswith(_LAST))

    items.sort(key=place)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> "LoadFileScheduling | None":
    """Distribute files in the order above, unless `--dist` selects another scheduler."""
    from xdist.scheduler import LoadFileScheduling

    if config.getvalue("dist") != "loadfile":
        return None

    class ByFile(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            whole = nodeid if nodeid.startswith(_ONE_BY_ONE) else super()._split_scope(nodeid)
            return str(whole)

    config.option.loadscopereorder = False  # it would put files with many tests first
    return ByFile(config, log)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark examples that are slow or need other packages as extras."""
    parsed = getattr(getattr(item, "example", None), "parsed", None)
    if getattr(parsed, "mark", "") == "slow":
        item.add_marker("extras")
    if item.path.name == "other-languages.md":
        item.add_marker("extras")  # for polars, duckdb and xarray
    if item.path.name == "calibration.md":
        # These packages emit warnings when they are imported.
        item.add_marker("extras")
        item.add_marker(pytest.mark.filterwarnings("default"))


class _Page(Document):
    """A page whose file blocks are written before its code runs."""

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
    patterns=["README.md", "docs/*.md", "docs/*/*.md"],
    # Pages in Chinese have the same code, which tests/docs/test_chinese.py checks.
    excludes=["docs/*.zh.md"],
    document_types={".md": _Page},
    setup=_enter,
    teardown=_leave,
).pytest()
