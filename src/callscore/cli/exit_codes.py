"""The exit codes of all commands; in a module without imports, for the parent of a command, too."""

OK = 0
# Below --fail-under or `fail_under`, with --fail-under a reference that was not run, a fault or a
# difference that --fail-on names, a closed gate, a case that was not blessed, a refused baseline.
FAILED = 1
USAGE = 2  # wrong usage
UNREADABLE = 3  # nothing scored, unreadable input, or an evaluation that cannot be used
# An agent gave no answer, which is an error, while a wrong answer is a failure; or a trace backend did
# not take all scores.
NO_ANSWER = 4
ENDED = 5  # the process ended before the command finished: an agent called os._exit
INTERRUPTED = 130  # the code of shells for Ctrl-C
