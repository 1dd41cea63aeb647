"""Executors for the runs of a sweep: local processes, or a cluster."""
