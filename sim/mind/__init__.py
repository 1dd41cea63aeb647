"""Questions of blocks, and the minds that answer them."""
