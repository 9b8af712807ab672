"""Release one number by noise mechanisms."""
