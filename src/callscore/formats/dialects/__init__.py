"""One dialect per module; `callscore.formats.dialect` says what such a module defines."""
