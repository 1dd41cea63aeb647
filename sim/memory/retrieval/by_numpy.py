"""The definition of a search in numpy, which the compiled passes reproduce bit by bit.

Searches run the compiled passes. This definition explains scores term by term, and tests compare
the passes with it.
"""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memopolis.sim.memory.night.consolidation import (
    Tables,
    compute_consolidation,
    last_update_ticks,
)
from memopolis.sim.memory.retrieval import combining, scoring, tfidf
from memopolis.sim.memory.retrieval import terms as more
from memopolis.sim.memory.retrieval.filter import passes
from memopolis.sim.memory.retrieval.profiles import TERMS
from memopolis.sim.memory.retrieval.request import Fit, Request
from memopolis.sim.memory.streams.layout import CONTINUES
from memopolis.sim.memory.streams.stream import Streams

Int32 = NDArray[np.int32]
Float32 = NDArray[np.float32]
IntArray = NDArray[np.int64]

IMPORTANCE = scoring.importance_table()
"""Importance of each code."""


def find_numpy(streams: Streams, request: Request) -> tuple[Int32, Float32]:
    """Return what `search.find` returns, bit for bit."""
    slots, starts = streams.live(request.rows)
    accessed = streams.at("accessed", slots)
    owner, ids = streams.listed(request.rows)
    if request.draw_key is None:
        scores = compute_terms(streams, request)["score"]
    else:
        from memopolis.sim.memory.retrieval import kernels

        scores = kernels.draws(request.rows[owner], request.now, ids, request.draw_key)
    passing = passes(streams, request.where, slots, owner)
    firsts = streams.first(request.rows)
    return scoring.best(scores, accessed, passing, starts=starts, firsts=firsts, k=request.k)


def compute_terms(streams: Streams, request: Request) -> dict[str, NDArray[Any]]:
    """Compute every term of the score for all memories of the agents, agent by agent.

    Returns:
        Each of shape (memories,): recency, importance and relevance; own, near, actor and
        date, the parts of relevance in units of a full match; the further terms that have a
        weight (dense is nan where there is no vector); NAME_weighted of each that has one, as
        it enters the score (stretched to 0..1 first, where the profile says so); and score.
    """
    slots, starts = streams.live(request.rows)
    owner, _ = streams.listed(request.rows)
    terms: dict[str, NDArray[Any]] = {
        "recency": scoring.recency(streams.at(request.since, slots), request.now, request.recency),
        "importance": IMPORTANCE[streams.at("importance", slots)],
        **_relevance(streams, request, slots, starts, owner),
    }
    if not request.general:
        three = (terms["recency"], terms["importance"], terms["relevance"])
        return {
            **terms,
            **combining.summed(terms, request.weights),
            "score": scoring.score(*three, request.weights),
        }
    return _with_more(streams, request, slots, owner, terms)


def _relevance(
    streams: Streams, request: Request, slots: IntArray, starts: IntArray, owner: IntArray
) -> dict[str, NDArray[Any]]:
    """Compute soft lexical relevance and its parts."""
    text = streams.at("text", slots)
    if request.relevance.table is None:
        from memopolis.sim.memory.retrieval import kernels

        relevance = kernels.relevances(request.relevance.pairs, request.query[owner], text)
    else:
        relevance = request.relevance.table[request.query[owner], text]
    own, shares = scoring.whole(relevance), request.shares
    near = actor = date = np.zeros(len(own), np.int32)
    if request.neighbours:
        first = np.zeros(len(own), np.bool_)
        first[starts[:-1][np.diff(starts) > 0]] = True
        near = scoring.near(own, (streams.at("kind", slots) & CONTINUES) > 0, first, shares)
    if request.cues:
        whose = streams.at("actor", slots)
        actor = scoring.by_actor(whose, request.named[owner], shares.actor)
        time = streams.at("time", slots)
        date = scoring.in_date(time, request.first[owner], request.last[owner], shares.date)
    return {
        "relevance": scoring.relevance(np.int32(scoring.OWN) * own + near + (actor + date)),
        "own": scoring.relevance(np.int32(scoring.OWN) * own),
        "near": scoring.relevance(near),
        "actor": scoring.relevance(actor),
        "date": scoring.relevance(date),
    }


def _with_more(
    streams: Streams,
    request: Request,
    slots: IntArray,
    owner: IntArray,
    terms: dict[str, NDArray[Any]],
) -> dict[str, NDArray[Any]]:
    """Add the further terms of a profile, and combine all terms."""
    passing = passes(streams, request.where, slots, owner)
    text = streams.at("text", slots)
    if request.tags is not None:
        terms["context"] = more.context_match(streams.at("tags", slots), request.tags[owner])
    if request.feeling is not None:
        valence = streams.at("valence", slots)
        terms["feeling"] = more.feeling_match(valence, request.feeling[owner])
    for name, table in request.tables.items():
        terms[name] = table.values[table.row[owner], text]
    if request.fit is not None:
        terms["tfidf"] = _fitted(request.fit, text, owner, passing)
    if request.consolidation is not None:
        terms["consolidation"] = _consolidation(streams, request, request.consolidation, slots)
    if request.fading is not None and request.consolidation is not None:
        age = np.int32(request.now) - streams.at(request.since, slots)
        pace, steps = request.fading
        terms["recency"] = more.adaptive_recency(
            age, terms["consolidation"], pace, request.consolidation.boost, steps
        )
    used = {name: terms[name] for name in TERMS if name in terms}
    if request.normalise:
        agents = len(request.rows)
        used = {n: combining.min_max(v, passing, owner, agents) for n, v in used.items()}
    else:
        used = {name: combining.known(values) for name, values in used.items()}
    combine = combining.multiplied if request.product else combining.summed
    return {**terms, **combine(used, request.weights)}


def _fitted(fit: Fit, text: Int32, owner: IntArray, passing: NDArray[np.bool_]) -> Float32:
    """Compute tf-idf, fitted for each agent on its memories that pass."""
    cosines = np.zeros(len(text), np.float32)
    edges = np.searchsorted(owner, np.arange(len(fit.query) + 1))
    for agent, (begin, end) in enumerate(pairwise(edges.tolist())):
        mine = begin + np.flatnonzero(passing[begin:end])
        query = int(fit.query[agent])
        cosines[mine] = tfidf.cosines(fit.words, text[mine], fit.asked, query, fit.logs)
    return cosines


def _consolidation(streams: Streams, request: Request, of: Tables, slots: IntArray) -> Float32:
    """Compute how consolidated each memory is."""
    now, made = np.int32(request.now), streams.at("time", slots)
    last = last_update_ticks(streams, slots)
    topic = streams.at("topic", slots)
    return compute_consolidation(streams.at("accesses", slots), now - made, now - last, topic, of)


def explain(streams: Streams, request: Request, ids: Int32) -> dict[str, NDArray[Any]]:
    """Return the terms of the memories found, each of shape (n, k), 0 for no memory."""
    _, starts = streams.live(request.rows)
    exists = ids >= 0
    at = np.where(exists, ids - streams.first(request.rows)[:, None] + starts[:-1, None], 0)
    return {
        name: np.where(exists, values[at] if len(values) else 0, values.dtype.type(0))
        for name, values in compute_terms(streams, request).items()
    }
