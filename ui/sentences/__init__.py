"""What a page says about its result: a module a topic. Numbers come from the result; no formula is evaluated here."""
