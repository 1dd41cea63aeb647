"""Questions to a sample of people, and the questions and answers kept with a run."""
