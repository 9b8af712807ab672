"""Run guesses and rooms of a class."""
