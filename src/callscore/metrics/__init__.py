"""Other tools' metrics by name: asked about any case, and compared with one another."""
