"""Answer which epsilon, how many people and which settings a target takes."""
