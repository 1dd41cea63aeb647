"""Measures of a society as pure functions of arrays: polarization, networks, inequality."""
