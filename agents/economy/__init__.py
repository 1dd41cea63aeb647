"""Equations of the economy, as pure functions of arrays with their sources."""
