"""What citizens of the polarization scenario do in a day."""
