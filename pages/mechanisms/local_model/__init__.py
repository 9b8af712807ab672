"""Ask surveys by randomised response."""
