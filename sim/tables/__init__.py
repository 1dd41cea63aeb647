"""Tables from users with the profiles of agents and their memories from before the start."""
