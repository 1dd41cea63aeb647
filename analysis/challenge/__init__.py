"""Held-out predictions: cases, frozen predictions of any engine, and their scores."""

from memopolis.analysis.challenge.case import Case, find_cases, read_case
from memopolis.analysis.challenge.predicting import predict
from memopolis.analysis.challenge.scoring import Scores, score
from memopolis.analysis.challenge.submission import Submission, read_submission

__all__ = [
    "Case",
    "Scores",
    "Submission",
    "find_cases",
    "predict",
    "read_case",
    "read_submission",
    "score",
]
