"""Exports of a run: a replay in one file, and an animated map."""

import io
import json
import re
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from memopolis import Hurricane
from memopolis.analysis import load_run
from memopolis.dashboard.export import export_run, moments
from memopolis.sim.errors import ParameterError, RunFolderError

START = datetime(2019, 9, 1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two days by the hour, whose citizens have hostile names."""
    folder = tmp_path_factory.mktemp("export")
    society = Hurricane(rng=1, agents=20, days=2, start=START)
    names = [f"</script><img src=x onerror=alert({number})>" for number in range(20)]
    society.population("citizen").cohort()["name"] = np.array(names, object)
    return society.run(folder / "run")


def data_of(page: str) -> dict[str, object]:
    """The data inside the page."""
    match = re.search(r'id="replay">(.*?)</script>', page, re.DOTALL)
    assert match
    return dict(json.loads(match[1]))


def test_a_replay_has_each_moment_and_no_markup_of_names(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "replay.html"
    done = []
    export_run(folder, file, every=6, progress=lambda now, total: done.append((now, total)))
    page = file.read_text(encoding="utf-8")
    data = data_of(page)
    assert data["dates"] == [
        f"{day:02} Sep {hour:02}:00" for day in (1, 2) for hour in range(0, 24, 6)
    ] + ["03 Sep 00:00"]
    assert done[-1] == (9, 9)
    assert "<img" not in page
    assert len(data["names"]) == 20  # type: ignore[arg-type]
    assert not re.search(r"https?://(?!www\.w3\.org)", page.replace("importmap", ""))


def test_an_animated_map_has_a_frame_for_each_moment(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "map.gif"
    export_run(folder, file, every=24)
    with Image.open(io.BytesIO(file.read_bytes())) as picture:
        assert picture.n_frames == 3  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("period", "every", "most", "expected"),
    [
        ((None, None), None, 400, [*range(48), 48]),
        ((None, None), None, 10, [0, 6, 12, 18, 24, 30, 36, 42, 48]),
        ((datetime(2019, 9, 1, 0, 30), datetime(2019, 9, 1, 4, 59)), 2, 400, [1, 3, 4]),
        ((datetime(2000, 1, 1), datetime(2030, 1, 1)), 48, 400, [0, 48]),
    ],
)
def test_moments_of_a_period(
    folder: Path,
    period: tuple[datetime | None, datetime | None],
    every: int | None,
    most: int,
    expected: list[int],
) -> None:
    assert moments(load_run(folder), *period, every, most=most) == expected


def test_bad_input_is_refused_in_one_line(folder: Path, tmp_path: Path) -> None:
    def refused(error: type[Exception], words: str, file: str = "x.html", **period: object) -> None:
        with pytest.raises(error, match=words):
            export_run(folder, tmp_path / file, **period)  # type: ignore[arg-type]
        assert list(tmp_path.iterdir()) == []

    refused(ParameterError, r"must end in \.html \(a replay\), \.gif", "x.mp4")
    refused(ParameterError, "is not a folder", "none/x.html")
    refused(ParameterError, "every is 0; allowed is 1 or more", every=0)
    refused(ParameterError, "it runs from 2019-09-01T00:00 to", start=datetime(2020, 1, 1))
    refused(ParameterError, "has a time zone", start=datetime(2019, 9, 1, tzinfo=UTC))
    refused(ParameterError, "has a time zone", end=datetime(2019, 9, 1, tzinfo=UTC))
    with pytest.raises(RunFolderError, match="not the folder of a run"):
        export_run(tmp_path, tmp_path / "x.html")
