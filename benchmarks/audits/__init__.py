"""Define and run the audits of the lab's mechanisms."""
