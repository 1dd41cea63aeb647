import json
from pathlib import Path

import pytest

from memopolis.scenarios.hurricane import Hurricane
from memopolis.sim.errors import RunFolderError
from memopolis.sim.sweep.design import Design
from memopolis.sim.sweep.factors import Range
from memopolis.sim.sweep.saved_design import read_design, write_design


def test_the_design_is_stored_in_the_folder(tmp_path: Path) -> None:
    design = Design(
        Hurricane, factors={"decision.spread": Range(0, 1)}, sampling="random", samples=3
    )
    planned = design.planned()
    write_design(tmp_path / "sweep", design, planned)
    kept = read_design(tmp_path / "sweep")
    assert kept.design.to_dict() == design.to_dict()
    assert kept.points == design.points
    assert [(run.name, run.point, run.replication, run.seed) for run in kept.runs] == [
        (run.name, run.point, run.replication, run.seed) for run in planned
    ]
    assert kept.outcomes == design.taken()
    assert kept.title == "Hurricane"
    assert [path.name for path in (tmp_path / "sweep").iterdir()] == ["design.json"]


def test_a_design_is_read_without_its_scenario(tmp_path: Path) -> None:
    design = Design(Hurricane, factors={"agents": [5, 6]})
    file = write_design(tmp_path, design, design.planned())
    file.write_text(file.read_text().replace("hurricane.scenario:Hurricane", "gone:Gone"))
    assert read_design(tmp_path).points == [{"agents": 5}, {"agents": 6}]


def test_a_design_file_is_deterministic(tmp_path: Path) -> None:
    design = Design(Hurricane, factors={"agents": [5, 6]})
    first = write_design(tmp_path, design, design.planned()).read_text()
    assert write_design(tmp_path, design, design.planned()).read_text() == first
    json.loads(first)


def test_a_folder_without_a_design_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunFolderError, match=r"no design\.json"):
        read_design(tmp_path)
    (tmp_path / "design.json").write_text("{}")
    with pytest.raises(RunFolderError, match="is broken"):
        read_design(tmp_path)
    (tmp_path / "file").touch()
    design = Design(Hurricane)
    with pytest.raises(RunFolderError, match="cannot be written"):
        write_design(tmp_path / "file", design, design.planned())


@pytest.mark.parametrize("broken", ['"points": []', f'"points": {"[" * 100_000}'])
def test_a_damaged_design_is_refused(tmp_path: Path, broken: str) -> None:
    design = Design(Hurricane, factors={"agents": [5]})
    file = write_design(tmp_path, design, design.planned())
    text = file.read_text()
    start, end = text.index('"points": ['), text.index('"runs"')
    file.write_text(f"{text[:start]}{broken},{text[end:]}")
    with pytest.raises(RunFolderError, match="is broken"):
        read_design(tmp_path)
