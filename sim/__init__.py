"""The engine: what any society needs. It knows no scenario and no profession."""
