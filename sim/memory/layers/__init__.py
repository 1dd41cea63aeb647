"""Layers: short, mid, long and key memory as ways to look at the one memory.

Nothing here is a second store. Short and mid term are the agent's own memories, the newest in
full and the others by meaning; summaries and key facts, which must outlive the memories they
come from, are attributes of the agent's status.
"""
