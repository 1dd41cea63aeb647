"""Questions in SQL to a run; what answers them is an extra."""

import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from memopolis.cli import app
from memopolis.scenarios.hurricane import Hurricane
from memopolis.sim.errors import ExtraError


def memopolis(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["query", *map(str, arguments)])


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from memopolis.analysis.sql.query import query

    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(ExtraError, match=r"memopolis\[query\]"):
        query(tmp_path, "select 1")
    result = memopolis(tmp_path, "select 1")
    assert (result.exit_code, result.stdout) == (2, "")
    assert len(result.stderr.splitlines()) == 1


def test_an_unknown_output_format_is_refused(tmp_path: Path) -> None:
    result = memopolis(tmp_path, "select 1", "--out", tmp_path / "answer.xls")
    assert result.exit_code == 2
    assert "allowed are .csv and .parquet files" in result.stderr


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(Hurricane(agents=20, days=1, rng=1).run(tmp_path_factory.mktemp("query") / "run"))


def test_a_missing_package_is_reported_before_reading_the_run(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    assert "pip install" in memopolis(run, "select 1").stderr
