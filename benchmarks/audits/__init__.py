"""The audit table: its rows, the worlds that they attack, its runs in slices and their verdicts."""
