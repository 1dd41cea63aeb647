"""News from files, and who hears them."""

from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from memopolis.sim.clock import Clock
from memopolis.sim.errors import DataFileError, ParameterError, UnknownNameError
from memopolis.sim.timeline import News
from memopolis.sim.world.news import audience_mask, read_news

CLOCK = Clock(datetime(2019, 8, 28), timedelta(hours=1))
HEADER = "time,text,topic,stance,importance,audience\n"


def write(folder: Path, text: str) -> Path:
    file = folder / "news.csv"
    file.write_text(text, encoding="utf-8")
    return file


def test_rows_are_sorted_by_time(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        HEADER
        + '2019-09-02 12:00,"Leave now, all of you",disaster,1,0.9,29401\n'
        + "2019-09-01,A storm #dorian,disaster,,,mobile_home=true\n",
    )
    with pytest.raises(DataFileError, match="row 2, column stance"):
        read_news(file, CLOCK)
    file = write(tmp_path, file.read_text().replace(",,,", ",0,0.5,"))
    assert read_news(file, CLOCK) == [
        (
            datetime(2019, 9, 1),
            News("A storm #dorian", topic="disaster", audience="mobile_home=true"),
        ),
        (
            datetime(2019, 9, 2, 12),
            News("Leave now, all of you", "disaster", 1.0, 0.9, "29401"),
        ),
    ]


def test_optional_columns_have_defaults(tmp_path: Path) -> None:
    file = write(tmp_path, "\ufefftopic,time,text\nbridge,2019-08-28,It is closed\n\n")
    assert read_news(file, CLOCK) == [(datetime(2019, 8, 28), News("It is closed", "bridge"))]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "column time, text, topic is missing"),
        ("time,text\n2019-09-01,A storm\n", "topic"),
        ("time,text,topic,importence\n", "did you mean importance?"),
        (
            HEADER + "2019-09-01,Leave, now,disaster,0,0.5,all\n",
            "row 1: 7 cells, but the header names 6",
        ),
        (HEADER + "soon,A storm,disaster,0,0.5,all\n", "row 1, column time: 'soon' is not a date"),
        (HEADER + "2019-08-01,A storm,disaster,0,0.5,all\n", "before the start of the run"),
        (HEADER + "2019-09-01,,disaster,0,0.5,all\n", "row 1, column text"),
        (HEADER + "2019-09-01,A storm,disaster,2,0.5,all\n", "row 1, column stance"),
        (HEADER + "2019-09-01,A storm,disaster,0,high,all\n", "row 1, column importance"),
        (HEADER + "2019-09-01,A storm,disaster,0,nan,all\n", "row 1, column importance"),
    ],
)
def test_a_bad_file_is_refused_by_row_and_column(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataFileError, match=r"news\.csv") as refused:
        read_news(write(tmp_path, text), CLOCK)
    assert message in str(refused.value)


def test_a_missing_file_or_another_encoding_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match="no such file"):
        read_news(tmp_path / "news.csv", CLOCK)
    (tmp_path / "news.csv").write_bytes(b"time,text,topic\n2019-09-01,\xff,x\n")
    with pytest.raises(DataFileError, match=r"line 2 is not UTF-8 \(byte 0xff\); save it as CSV"):
        read_news(tmp_path / "news.csv", CLOCK)
    (tmp_path / "news.csv").write_bytes(b"")
    with pytest.raises(DataFileError, match="the columns are none, needed are time"):
        read_news(tmp_path / "news.csv", CLOCK)


COLUMNS = {
    "mobile_home": np.array([True, False, False]),
    "age": np.array([30, 40, 30], dtype=np.int16),
    "job": np.array(["nurse", "none", "cook"]),
}


@pytest.mark.parametrize(
    ("audience", "hears"),
    [
        ("all", [True, True, True]),
        ("29403", [False, True, False]),
        ("mobile_home=true", [True, False, False]),
        ("mobile_home = 0", [False, True, True]),
        ("age=30", [True, False, True]),
        ("job=cook", [False, False, True]),
    ],
)
def test_an_audience_selects_agents(audience: str, hears: list[bool]) -> None:
    mask = audience_mask(
        audience,
        3,
        zone=np.array([0, 1, -1]),
        zones=("29401", "29403"),
        status=COLUMNS.__getitem__,
    )
    assert mask.dtype == np.bool_
    assert mask.tolist() == hears


@pytest.mark.parametrize(
    ("audience", "error", "message"),
    [
        ("29402", UnknownNameError, "did you mean"),
        ("everybody", UnknownNameError, "neither all"),
        ("age=old", ParameterError, "'old'"),
    ],
)
def test_an_invalid_audience_is_refused(
    audience: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        audience_mask(
            audience,
            3,
            zone=np.zeros(3, dtype=np.int64),
            zones=("29401",),
            status=COLUMNS.__getitem__,
        )


def test_an_unknown_zone_as_audience_is_reported_before_the_run(tmp_path: Path) -> None:
    file = write(tmp_path, HEADER + "2019-09-01,Hello,disaster,0,1,Atlantis\n")
    assert len(read_news(file, CLOCK)) == 1
    with pytest.raises(DataFileError, match="row 1, column audience: 'Atlantis'"):
        read_news(file, CLOCK, ["29401"])
