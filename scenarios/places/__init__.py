"""Places shared by scenarios: shipped ones, folders and files of zones."""
