"""Run the models of one engine on demand: `python worker.py MODULE [FORM MODEL]`.

Without a form, prints the forms and versions. Otherwise reads one order a line (agents, steps and
seed as JSON) and answers each with the measures of the run. Needs only the standard library.
"""

import importlib
import json
import os
import resource
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import Any

PACKAGES = ("memopolis", "mesa", "ambr", "mesa-frames", "starsim", "numpy", "polars", "numba")
UNIT = 1 if sys.platform == "darwin" else 1024
"""Bytes in a unit of the peak memory that the system reports."""


def main() -> None:
    """Describe the engine, or serve orders until the input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # engines may print; only answers go to the output
    forms = importlib.import_module(sys.argv[1]).FORMS
    if len(sys.argv) == 2:
        listed = [(form.name, form.order, form.epidemic is not None) for form in forms]
        _answer(answers, {"forms": listed, "versions": _versions()})
        return
    (form,) = (form for form in forms if form.name == sys.argv[2])
    run = getattr(form, sys.argv[3])
    run(100, 3, 1)  # compile, fill caches
    for line in sys.stdin:
        result = run(*json.loads(line))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * UNIT
        _answer(answers, {**result, "bytes": peak})


def _answer(answers: Any, what: object) -> None:
    print(json.dumps(what), file=answers, flush=True)


def _versions() -> dict[str, str]:
    versions = {"python": sys.version.split()[0]}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions


if __name__ == "__main__":
    main()
