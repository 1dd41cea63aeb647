"""Work with saved runs: step, resume, fork and repeat them, and rebuild their societies."""
