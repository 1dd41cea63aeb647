"""What `memopolis validate` runs and judges, a file a scenario."""
