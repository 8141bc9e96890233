"""Hornbook learns the rules of anything that can close a set of attributes."""

__version__ = "0.1.0"
