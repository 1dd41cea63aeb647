"""The documentation site: built strictly, and complete without a network."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.docs.pages import ROOT

pytestmark = pytest.mark.extras

OUTSIDE = re.compile(r"<(?:script|link|img|iframe)[^>]*(?:src|href)=.?https?:")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site strictly: a broken link or anchor is an error.

    `MEMOPOLIS_SITE` names the folder of one that `make docs` has just built.
    """
    if built := os.environ.get("MEMOPOLIS_SITE"):
        return Path(built)
    pytest.importorskip("mkdocs")
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        check=False,
        capture_output=True,
        text=True,
    )
    lines = [line for line in done.stderr.splitlines() if not line.startswith("INFO")]
    assert done.returncode == 0, "\n".join(lines)
    return folder


def test_pages_of_the_whole_repository_are_in_the_site(site: Path) -> None:
    for page in ("index", "quick-start.zh", "scenarios/ubi/index", "notebooks/index", "readme"):
        assert (site / f"{page}.html").is_file()


def test_the_site_loads_nothing_from_other_hosts(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 40
    assert [page.name for page in pages if OUTSIDE.search(page.read_text())] == []


def test_the_api_reference_is_rendered(site: Path) -> None:
    page = (site / "api" / "memory.html").read_text()
    assert 'id="memopolis.Memory"' in page
    assert "Args" in page or "Parameters" in page
    assert ":::" not in page
