"""What all figures share: the theme, and maps of decisions."""
