"""Grounds of citizens' statements: their own life, or what they remember."""

import numpy as np

from memopolis.agents.experience import Experience
from memopolis.scenarios.polarization import messages as words
from memopolis.scenarios.polarization.attitudes import UpdateAttitudes
from memopolis.scenarios.polarization.blocks.report_figures import (
    FIGURES,
    SURVEY,
    list_texts,
    report_survey,
)
from memopolis.scenarios.polarization.messages import GROUNDS, Draft, Statements
from memopolis.scenarios.polarization.subjects import Subject
from memopolis.sim.arrays import Float64, Floats, Intp, Ints
from memopolis.sim.block import Block
from memopolis.sim.memory.retrieval.filter import Filter
from memopolis.sim.population import Cohort, Population

OWN_LIFE, MESSAGE, FIGURE = 0.3, 0.6, 0.8
"""Upper bounds of the draw for which a speaker looks for a ground in its own life, in recalled
messages and in recalled figures; above them, the ground is a principle (illustrative)."""
FIGURE_GROUNDS = {"support": "support", "party_gap": "gap"}
"""Kinds of ground by the name of a figure; others give none."""
PRINCIPLE = GROUNDS.index("principle")  # ground of speakers without another one
SURVEYS = "survey reports"  # query for remembered figures


class Grounds:
    """Finds what citizens base their statements on.

    `attitudes` is the block that recalls messages for the attitudes of the speakers, and `topics`
    are those of other memories that are read.
    """

    topics = (SURVEY,)

    def __init__(
        self, attitudes: UpdateAttitudes, outlets: Population, persuaders: Population
    ) -> None:
        self.attitudes = attitudes
        self.outlets = outlets
        self.persuaders = persuaders

    def state_views(
        self, block: Block, speakers: Cohort, topic: Intp, purpose: str, *, spread: float
    ) -> Statements:
        """Let citizens state their attitude to a topic, worded by conviction and with a ground.

        `topic` are positions in the topics of the subject, shape (m,); `purpose` names the draws,
        and `spread` is the deviation of expressed from held stances.
        """
        subject, chance = self.attitudes.subject, block.chance
        held, conviction = (
            words.select_topic([speakers[f"{kind}.{name}"] for name in subject.topics], topic)
            for kind in ("attitude", "conviction")
        )
        noise = chance.normal(speakers, f"{purpose} noise")
        stance = words.draw_stance(held, noise, spread=spread)
        u = chance.uniforms(speakers, words.DRAWS, f"{purpose} text")
        ground = chance.uniform(speakers, f"{purpose} ground")
        return words.write_claims(
            block.society.texts,
            Draft(topic, stance, u, subject),
            opening=words.number_openings(conviction, stance),
            ground=self.find(speakers, topic, stance, ground),
        )

    def find(self, speakers: Cohort, topic: Ints, stance: Floats, u: Float64) -> Intp:
        """Return the kind of ground of each statement, a position in `GROUNDS`, shape (m,).

        The draws `u` select where a speaker looks for a ground; one that finds none states a
        principle.
        """
        kind = np.full(len(speakers), PRINCIPLE)
        own = u < OWN_LIFE
        owners = self.attitudes.subject.owners
        kind[own] = find_own_life(speakers.at(speakers.rows[own]), owners=owners)
        recalled = (u >= OWN_LIFE) & (u < MESSAGE)
        kind[recalled] = self._find_messages(
            speakers.at(speakers.rows[recalled]), topic[recalled], stance[recalled]
        )
        counted = (u >= MESSAGE) & (u < FIGURE)
        kind[counted] = find_figures(speakers.at(speakers.rows[counted]), self.attitudes.subject)
        return kind

    def _find_messages(self, speakers: Cohort, topic: Ints, stance: Floats) -> Intp:
        """Return the kind of the message of greatest weight that agrees with each speaker."""
        kind = np.full(len(speakers), PRINCIPLE)
        stream, rows = speakers.stream, speakers.rows
        ids = self.attitudes.recalled[topic, rows]
        agrees = np.nan_to_num(stream.column("valence", ids)) * stance[:, None] > 0
        weight = np.where(agrees, self.attitudes.weight[topic, rows], 0)
        best = weight.argmax(axis=1)
        at = np.arange(len(ids))
        some = weight[at, best] > 0
        actor = stream.column("actor", ids[at, best][:, None])[:, 0]
        kind[some] = self._kinds_of_authors(speakers)[actor[some]]
        friends = speakers.population.ties["friend"]
        posts = np.flatnonzero(kind == GROUNDS.index("post"))
        author = np.searchsorted(speakers.population.ids, actor[posts])
        is_friend = friends.between(rows[posts], author) > 0
        kind[posts[is_friend]] = GROUNDS.index("friend")
        return kind

    def _kinds_of_authors(self, speakers: Cohort) -> Intp:
        """Return the kind of a message by the author's unique_id; the last one is of id -1."""
        kinds = {"post": speakers.population, "story": self.outlets, "campaign": self.persuaders}
        count = max(int(one.ids.max(initial=-1)) for one in kinds.values()) + 2
        by_author = np.full(count, GROUNDS.index("news"))
        for name, population in kinds.items():
            by_author[population.ids] = GROUNDS.index(name)
        return by_author


def find_own_life(speakers: Cohort, *, owners: bool = True) -> Intp:
    """Return what speakers know from their own life: guns, else the country or the city.

    `owners` is whether owning a gun is a ground.
    """
    lives = speakers["urbanity"]
    kind = np.where(lives == "rural", GROUNDS.index("rural"), PRINCIPLE)
    kind = np.where(lives == "urban", GROUNDS.index("urban"), kind)
    return np.where(owners & speakers["gun_owner"], GROUNDS.index("owner"), kind)


def find_figures(speakers: Cohort, subject: Subject) -> Intp:
    """Return the kind of the survey figure that speakers recall best."""
    kind = np.full(len(speakers), PRINCIPLE)
    if not len(speakers) or SURVEY not in speakers.population.memory.topic_numbers:
        return kind
    figures = Experience.recall(
        speakers, SURVEYS, k=1, profile="opinion", where=Filter(topic=SURVEY)
    )
    for (name, _, _), (_, rise, fall) in zip(FIGURES, list_texts(subject), strict=True):
        if name in FIGURE_GROUNDS:
            for way, figure in (("up", rise), ("down", fall)):
                reported = figures.reports([report_survey(figure)])[:, 0]
                kind[reported] = GROUNDS.index(f"{FIGURE_GROUNDS[name]} {way}")
    return kind
