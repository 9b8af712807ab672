"""Many parties, each with rows of its own: what they learn alone, and what a trusted aggregator makes of it."""
