"""Subjects of opinion: what messages and attitudes of a run are about."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from memopolis.agents.appraisal import Attitude
from memopolis.sim.declarations import read_declarations

PLACEBO = "left_right"  # attitude that no message concerns


@dataclass(frozen=True)
class Subject:
    """A subject, with the facts of `subjects.toml`, which describes them."""

    key: str  # name in settings
    topics: tuple[str, ...]
    names: tuple[str, ...]
    queries: tuple[str, ...]
    aim: str
    neutral: str
    about: str
    file: str
    owners: bool

    @property
    def main(self) -> str:
        """Name of the attitude to the subject in general."""
        return self.topics[0]

    @property
    def attitudes(self) -> tuple[Attitude, ...]:
        """Attitudes that its messages change; each has the effect of its own topic only."""
        pairs = zip(self.topics, self.queries, strict=True)
        return tuple(Attitude(name, query, {name: 1.0}, name) for name, query in pairs)


def _read_subjects() -> Mapping[str, Subject]:
    subjects = {}
    for key, row in read_declarations(__file__, "subjects.toml").items():
        values: dict[str, Any] = {
            name: tuple(v) if isinstance(v, list) else v for name, v in row.items()
        }
        subjects[key] = Subject(key, **values)
    return MappingProxyType(subjects)


SUBJECTS = _read_subjects()
GUNS = SUBJECTS["gun_control"]
