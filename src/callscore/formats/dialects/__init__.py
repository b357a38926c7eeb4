"""One dialect a module: see `callscore.formats.dialect` for what such a module has."""
