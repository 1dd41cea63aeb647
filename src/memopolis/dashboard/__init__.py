"""The dashboard: watch, steer and interview a running society, or replay runs."""
