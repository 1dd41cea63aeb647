"""What agents and cohorts do with their memory, as views with the same verbs."""
