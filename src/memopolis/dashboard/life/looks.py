"""How a life and the list of citizens look."""

from pathlib import Path

LOOKS = Path(__file__).with_name("life.css").read_text(encoding="utf-8")
"""Style sheet."""
