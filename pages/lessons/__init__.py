"""Ask, show and explain, one question a lesson."""
