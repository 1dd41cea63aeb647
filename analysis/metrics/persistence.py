"""How closely the answers of the same people agree at two times."""

import numpy as np
import pandas as pd


def correlate_answers(paths: pd.DataFrame, *, days: int, error: float = 0.0) -> float:
    """Return the correlation of the same people's answers at two times, the mean over all times.

    `paths` are attitudes by agent and day. An answer has an independent error with the standard
    deviation `error`, which lowers the correlation by the share of true in total variance (Lord and
    Novick 1968). NaN if the run is shorter.
    """
    held = paths.to_numpy(np.float64)
    if not 0 < days < held.shape[1]:
        return float("nan")
    now, later = held[:, :-days], held[:, days:]
    shared = ((now - now.mean(axis=0)) * (later - later.mean(axis=0))).mean(axis=0)
    total = np.sqrt((now.var(axis=0) + error**2) * (later.var(axis=0) + error**2))
    return float((shared / total).mean()) if (total > 0).all() else float("nan")
