"""The public names of the package, by the module that offers them."""

from importlib import import_module

SUBJECTS = ("errors", "memory", "minds", "surveys", "sweeps")
PUBLIC: dict[str, list[str]] = {
    module: import_module(module).__all__
    for module in ("memopolis", *(f"memopolis.{subject}" for subject in SUBJECTS))
}
