"""Update the READMEs of the named scenarios."""

import sys
from importlib import import_module

for scenario in sys.argv[1:]:
    import_module(f"tools.odd.{scenario}").ODD.write()
