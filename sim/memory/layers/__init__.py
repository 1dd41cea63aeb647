"""Short-term, mid-term, long-term and key memory: four views of one agent's memories.

Nothing is stored twice. The short and mid term are the agent's own memories, the newest ones in
full and the others in clusters. Summaries and key memories have to outlive the memories they
were made from, so they are attributes of the agent's status.
"""
