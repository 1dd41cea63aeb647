"""Behaviours of a society with a basic income: work, trade, taxes, households, the bank."""
