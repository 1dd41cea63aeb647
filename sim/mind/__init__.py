"""Questions that blocks put, and the minds that answer them."""
