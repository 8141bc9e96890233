"""Measurements: each module here has a main() that prints a table of ratios and returns 1 if a promise is not kept."""
