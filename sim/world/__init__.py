"""The world agents live in: places, weather, ties, news and money."""
