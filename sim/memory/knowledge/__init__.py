"""Knowing what one knows: assessment, map and review. All of it is looking: nothing changes."""
