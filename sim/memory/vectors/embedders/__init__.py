"""What gives texts their vectors: the shipped table, models by name, or an object of one's own."""
