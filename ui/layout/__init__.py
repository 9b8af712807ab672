"""Put a page on the screen."""
