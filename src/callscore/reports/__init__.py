"""Reports: one subject per module, its terminal format in a module of its own."""
