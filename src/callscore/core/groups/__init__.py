"""Groups of expected calls: their tree, and the choice that gives the highest F1."""
