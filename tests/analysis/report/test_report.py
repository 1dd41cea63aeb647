import re
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.manifests import change_manifest, record_again

from memopolis.analysis import Run, load_run, write_report
from memopolis.analysis.report import report
from memopolis.analysis.report.report import command
from memopolis.analysis.report.summary import summary
from memopolis.sim.errors import RunFolderError
from memopolis.sim.scenario_names import find_scenario


@pytest.fixture(scope="session")
def page(stormy_folder: Path, calm_folder: Path) -> str:
    path = write_report(stormy_folder, calm_folder)
    assert path == stormy_folder / "report.html"
    return path.read_text()


def test_the_report_needs_no_network(page: str) -> None:
    sources = re.findall(r'(?:src|href)="([^"]{0,30})', page)
    assert len(sources) > 5
    assert all(source.startswith("data:image/png;base64,") for source in sources)
    assert "<script" not in page


def test_the_report_contains_facts_settings_and_the_command(page: str) -> None:
    for part in ("H-P1", "H-P8", "decision.mandatory", "illustrative", "--seed 5", "pyarrow"):
        assert part in page


@pytest.fixture
def no_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "_figures", lambda *_: iter(()))


@pytest.mark.usefixtures("no_figures")
def test_texts_are_escaped(stormy_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(stormy_folder, folder)
    part = next((folder / "tables" / "texts").iterdir())
    texts = pq.read_table(part)
    hurt = [f"<script>alert(1)</script>{text}" for text in texts["text"].to_pylist()]
    pq.write_table(texts.set_column(1, "text", pa.array(hurt)), part)
    record_again(folder)
    page = write_report(folder).read_text()
    assert "<script" not in page
    assert "&lt;script&gt;" in page


def test_a_run_without_a_storm_reports_no_facts(calm_folder: Path) -> None:
    page = write_report(calm_folder).read_text()
    assert "H-P1" not in page
    assert "Attitudes" in page


@pytest.mark.usefixtures("no_figures")
def test_an_interrupted_run_is_marked(stormy_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(stormy_folder, folder)
    change_manifest(folder, status="interrupted", error="ctrl-C")
    assert "This run was interrupted. ctrl-C" in write_report(folder).read_text()
    assert ("Status", "interrupted") in summary(load_run(folder))


@pytest.mark.usefixtures("no_figures")
def test_a_run_without_figures_has_no_section_of_figures(calm_folder: Path, page: str) -> None:
    assert "<h2>Figures</h2>" in page
    assert "<h2>Figures</h2>" not in write_report(calm_folder).read_text()


def test_a_report_of_an_empty_run(tmp_path: Path) -> None:
    with pytest.raises(RunFolderError):
        write_report(tmp_path / "nothing")


def test_a_run_that_recorded_only_measures_has_a_report(
    stormy_folder: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    shutil.copytree(stormy_folder, folder)
    for table in (folder / "tables").iterdir():
        if table.name != "measures":
            shutil.rmtree(table)
    record_again(folder)
    assert "Emotions" in write_report(folder).read_text()


def test_the_summary_is_rows_of_text(stormy: Run) -> None:
    rows = dict(summary(stormy))
    assert rows["Closest pass"] == "Thu 05 Sep 2019 12:00"
    assert rows["Agents"].startswith("300 citizens")
    assert "mandatory" in rows["Evacuated share"]
    assert all(isinstance(value, str) for value in rows.values())


def test_the_printed_command_reproduces_the_run(stormy: Run) -> None:
    text = command(stormy)
    assert text.startswith("memopolis run hurricane --seed 5")
    assert "--agents 300" in text
    assert "--set place=charleston" in text


def test_the_printed_command_finds_a_scenario_in_a_file(tmp_path: Path) -> None:
    savers = f"{Path(__file__).parents[1].resolve() / 'savers.py'}:Savers"
    society = find_scenario(savers)(rng=1)
    run = load_run(society.run(tmp_path / "run", days=1))
    assert command(run).startswith(f"memopolis run {savers} --seed 1")
    # The run was shorter than its setting of 3 days.
    assert "--set days=1.0" in command(run)
    assert "3.0" not in command(run)
    # A length that is no whole number of steps is printed as it was set.
    short = load_run(find_scenario(savers)(rng=1, days=1.3).run(tmp_path / "short"))
    assert "--set days=1.3" in command(short)
