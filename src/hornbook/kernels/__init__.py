"""Compiled work on arrays. `front` is where the rest of the package comes in, `switch` says when it does."""
