"""A small case of polarization."""

from pathlib import Path

import pytest

CASE = """
title = "A small case"
scenario = "polarization"
date = 2020-01-01
agents = 30
seeds = 2
null_arm = "control"

[settings]
start = 2020-01-01T00:00:00
days = 3
"record.tables" = "measures"

[arms.control]

[arms.event]
news = "news.csv"

[[predict]]
name = "support"
what = "Change of support"
unit = "pp"
group = "support"
arm = "event"
minus_arm = "control"
measure = "support"
at = 2020-01-03T12:00:00
basis = "independent"

[[predict]]
name = "gap"
what = "Gap between parties"
arm = "event"
measure = "party_gap@mean"
basis = "calibrated"
reason = "an example"
"""
NEWS = "time,text,topic,stance\n2020-01-01 12:00,The gun laws are to be stricter.,gun_control,1\n"
OUTCOMES = """quantity,value,low,high,bounds,label,source
support,0.1,0.0,0.2,tolerance,recalled,nowhere
gap,3,2,4,interval,cited,"a study, 2020"
"""


def write_case(folder: Path, case: str = CASE, outcomes: str | None = OUTCOMES) -> Path:
    """Write a case; returns its folder."""
    folder.mkdir(parents=True)
    (folder / "case.toml").write_text(case, encoding="utf-8")
    (folder / "news.csv").write_text(NEWS, encoding="utf-8")
    if outcomes is not None:
        (folder / "outcomes.csv").write_text(outcomes, encoding="utf-8")
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of a small case."""
    return write_case(tmp_path / "small")
