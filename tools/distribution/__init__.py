"""The wheel and the sdist: built twice, compared, and installed into new environments."""
