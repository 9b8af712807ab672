"""Read uploaded files, and encode their rows as their declared columns say."""
