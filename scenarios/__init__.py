"""Scenarios: societies with settings, data and behaviours of their own."""
