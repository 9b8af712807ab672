"""Attack and audit: what a guarantee is worth against an attacker."""
