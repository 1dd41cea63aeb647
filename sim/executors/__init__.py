"""Executors for the runs of a sweep and the parts of a society: local processes, or a cluster."""
