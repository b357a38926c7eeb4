"""Run a command whose standard output is a terminal with colours: `terminal callscore show`."""

import os
import pty
import sys

os.environ["TERM"] = "xterm-256color"
del os.environ["NO_COLOR"]
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))
