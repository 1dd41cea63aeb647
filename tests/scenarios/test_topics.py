"""News on topics that no block reads are reported, so each block names the topics that it reads."""

import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from memopolis.scenarios.hurricane.scenario import Hurricane
from memopolis.scenarios.polarization.scenario import Polarization
from memopolis.scenarios.ubi.scenario import BasicIncome
from memopolis.sim.arrays import Bools
from memopolis.sim.memory.interface import Memory
from memopolis.sim.memory.retrieval.filter import Filter
from memopolis.sim.society import Society

SCENARIOS: dict[type[Society[Any]], dict[str, Any]] = {
    Hurricane: {"agents": 60, "days": 2, "start": "2019-09-01"},
    Polarization: {"agents": 40, "days": 3},
    BasicIncome: {"agents": 40, "days": 122, "start": 0},
}


def topics_of(society: Society[Any]) -> set[str]:
    return {t for people in society.populations for block in people.blocks for t in block.topics}


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_blocks_name_the_topics_that_they_read(
    scenario: type[Society[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    read: set[str] = set()
    among, check = Memory.among_topics, Filter.__post_init__

    def record_names(memory: Memory, names: Iterable[str]) -> Bools:
        names = list(names)
        read.update(names)
        return among(memory, names)

    def record_filter(where: Filter) -> None:
        check(where)
        if where.topic is not None:
            read.add(where.topic)

    society = scenario(rng=1, **SCENARIOS[scenario])
    monkeypatch.setattr(Memory, "among_topics", record_names)
    monkeypatch.setattr(Filter, "__post_init__", record_filter)
    society.run_for(society.ticks)
    assert read
    assert read <= topics_of(society)


def write_news(folder: Path, *topics: str) -> str:
    rows = "".join(f"2019-09-01 18:30,A storm comes.,{topic}\n" for topic in topics)
    path = folder / "news.csv"
    path.write_text(f"time,text,topic\n{rows}", encoding="utf-8")
    return str(path)


def test_news_on_a_topic_that_no_block_reads_is_reported(tmp_path: Path) -> None:
    changes: dict[str, Any] = {"agents": 20, "days": 7, "start": "2019-09-01", "rng": 1}
    news = write_news(tmp_path, "disaster", "disastre", "xyz", "disastre")
    with pytest.warns(RuntimeWarning) as warned:
        Hurricane(news=news, **changes)
    (line,) = [str(warning.message) for warning in warned]
    assert "no block reads news on disastre (did you mean disaster?), xyz; agents" in line
    assert "\n" not in line
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Hurricane(news=write_news(tmp_path, "disaster", "order", "relief", "traffic"), **changes)
