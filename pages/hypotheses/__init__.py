"""Transfer hypotheses from private sources."""
