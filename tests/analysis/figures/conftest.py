"""Runs made of tables alone, in the form in which societies record them."""

from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.manifests import make_manifest

from memopolis.analysis import Run, load_run

type Make = Callable[..., Run]

QUINTILES = ("lowest", "second", "middle", "fourth", "highest")


def write_run(
    folder: Path,
    tables: Mapping[str, pd.DataFrame],
    *,
    start: datetime,
    hours: float,
    ticks: int,
    **manifest: Any,
) -> Run:
    for name, frame in tables.items():
        (folder / "tables" / name).mkdir(parents=True)
        frame.to_parquet(folder / "tables" / name / "part-00000.parquet", index=False)
    content = {
        "start": start.isoformat(),
        "tick_hours": hours,
        "ticks": ticks,
        **manifest,
    }
    make_manifest(folder, content)
    return load_run(folder)


@pytest.fixture
def write() -> Make:
    return write_run


def opinion_tables(people: int = 200, days: int = 30, seed: int = 1) -> dict[str, pd.DataFrame]:
    rng = np.random.default_rng(seed)
    side = np.repeat([1, 0, -1], [people // 2, people // 5, people - people // 2 - people // 5])
    party = np.array(["Republican", "Independent", "Democrat"])[side + 1]
    opinion = np.clip(5 + 2 * side + rng.normal(0, 1.6, people), 0, 10)
    rows = []
    for tick in range(days):
        opinion = np.clip(opinion + 0.03 * side + rng.normal(0, 0.12, people), 0, 10)
        like, cross = rng.binomial(4, 0.4 + 0.01 * tick, people), rng.binomial(2, 0.3, people)
        frame = {"tick": tick, "agent": np.arange(people), "party": party}
        read = {"read": like + cross + rng.binomial(2, 0.5, people)}
        held = {"attitude.gun_control": opinion.astype(np.float32)}
        rows.append(pd.DataFrame(frame | held | read | {"read_like": like, "read_cross": cross}))
    source = np.repeat(np.arange(people), 4)
    near = (source + rng.integers(1, max(people // 8, 2), len(source))) % people
    ties = pd.DataFrame({"source": source, "target": near})
    agents = pd.concat(rows).astype({"tick": np.int32, "agent": np.int32, "party": "category"})
    return {"agents_citizen": agents, "ties": ties[ties["source"] != ties["target"]]}


def economy_tables(months: int = 120, policy: int = 96, seed: int = 1) -> dict[str, pd.DataFrame]:
    rng = np.random.default_rng(seed)
    tick = np.arange(months, dtype=np.int32)
    after = (tick >= policy).astype(float)
    level = 1.002**tick * (1 + 0.03 * after)
    households = pd.concat(
        pd.DataFrame(
            {
                "tick": tick,
                "agent": np.int32(100 + q),
                "quintile": pd.Categorical([name] * months, categories=["", *QUINTILES]),
                "disposable": (100 * level * (1_200 * (q + 1) ** 1.4 + 1_500 * after)).astype(int),
                "consumption": (100 * level * (1_400 * (q + 1) ** 1.2 + 900 * after)).astype(int),
            }
        )
        for q, name in enumerate(QUINTILES)
    )
    citizens = households[["tick", "quintile"]].assign(
        agent=households["agent"] - 100,
        age=40,
        hours=20 + 4 * (households["agent"] - 100) - 0.5 * (households["tick"] >= policy),
    )
    basic = 2.5e8 * after
    government = pd.DataFrame(
        {
            "tick": tick,
            "agent": np.int32(300),
            "income_tax": (3e8 * level).astype(int),
            "payroll_tax": (2e8 * level).astype(int),
            "policy_tax": basic.astype(int),
            "benefits": (1.5e8 * level).astype(int),
            "basic_income": basic.astype(int),
            "purchases": (3.2e8 * level).astype(int),
            "interest": (0.2e8 * level).astype(int),
            "debt": (4e9 * level).astype(int),
        }
    )
    bureau = pd.DataFrame(
        {
            "tick": tick,
            "agent": np.int32(301),
            "price_level": level,
            "wage": 24 * level * (1 + 0.01 * rng.normal(size=months)),
            "gini": 0.44 - 0.05 * after + 0.003 * rng.normal(size=months),
            "poverty": 0.18 - 0.08 * after,
            "unemployment": 0.045 + 0.004 * rng.normal(size=months),
            "vacancies": 0.03 + 0.004 * rng.normal(size=months),
            "participation": 0.63 - 0.01 * after,
            "depression": np.where(tick % 6 == 5, 11 - 2 * after, 0.0),
            "life_satisfaction": 6.8 + 0.3 * after,
        }
    )
    return {
        "agents_household": households,
        "agents_citizen": citizens,
        "agents_government": government,
        "agents_statistics_bureau": bureau,
    }


@pytest.fixture(scope="session")
def opinionated(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return write_run(
        tmp_path_factory.mktemp("opinions"),
        opinion_tables(),
        start=datetime(2026, 1, 1),
        hours=24,
        ticks=30,
        populations={"citizen": 200},
    )


@pytest.fixture(scope="session")
def monetary(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return write_run(
        tmp_path_factory.mktemp("economy"),
        economy_tables(),
        start=datetime(2019, 1, 1),
        hours=720,
        ticks=120,
        populations={"citizen": 5, "household": 5, "government": 1, "statistics_bureau": 1},
        facts={"policy_start": "2026-11-20T00:00:00"},
    )
