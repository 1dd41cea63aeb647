"""Write reports and summaries of runs."""
