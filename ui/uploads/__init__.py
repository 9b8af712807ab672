"""Take a visitor's file."""
