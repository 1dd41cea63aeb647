"""Columns of the frames of a sweep, declared like the tables of a run."""

from memopolis.sim.recording.schema import Column, TableSchema

_POINT = "Number of the design point, from 0"
_FACTOR = Column("as set", "Value of a factor at the point; one column each, by its name")

POINTS = TableSchema(
    {
        "point": Column("int64", _POINT, key=True),
        "FACTOR": _FACTOR,
        "outcome": Column("text", "Name of the outcome", key=True),
        "mean": Column("float64", "Mean over the runs that succeeded", "of the outcome"),
        "low": Column(
            "float64",
            "Lower bound of its interval, Student's t over replications",
            "of the outcome",
        ),
        "high": Column("float64", "Upper bound", "of the outcome"),
        "sd": Column("float64", "Standard deviation over the runs", "of the outcome"),
        "runs": Column("int64", "Number of runs that have the outcome"),
    }
)
"""Columns of the frame `points` of a sweep."""

RUNS = TableSchema(
    {
        "run": Column(
            "text", "Name of the run: 12 letters of its key; its folder is runs/<run>", key=True
        ),
        "point": Column("int64", _POINT),
        "replication": Column("int64", "Number of the replication of the point, from 0"),
        "seed": Column("int64", "Random seed of the run"),
        "FACTOR": _FACTOR,
        "status": Column("text", "pending, running, succeeded, failed or interrupted"),
        "error": Column("text", "Error of a failed run in one line; else empty"),
        "traceback": Column("text", "File with the traceback; empty for none"),
        "tries": Column("int64", "Number of times it was started"),
        "seconds": Column("float64", "Wall time of its last try; NaN before", "s"),
        "step_seconds": Column("float64", "Wall time inside steps; NaN before", "s"),
        "OUTCOME": Column(
            "float64", "An outcome, NaN where the run did not succeed; one column each"
        ),
        "folder": Column("text", "Folder of the run"),
    }
)
"""Columns of the frame `runs` of a sweep, of runs.csv and of the view `runs`."""
