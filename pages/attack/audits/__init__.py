"""Show the recorded audits of the lab's mechanisms."""
