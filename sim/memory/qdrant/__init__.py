"""Stores of streams and status in Qdrant, with sparse vectors by FastEmbed."""

from memopolis.sim.extras import require

require("qdrant", "qdrant_client", "fastembed", what="a memory in Qdrant")
