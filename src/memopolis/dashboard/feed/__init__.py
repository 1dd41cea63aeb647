"""The feed beside the map: what people decide, think and say, news and orders."""
