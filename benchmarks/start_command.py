"""Start one command and print what it cost: python -I -S start_command.py OUTPUT COMMAND...

Prints the exit code, the seconds of the processor, the megabytes at most and the seconds of the clock.
It is a process by itself because a new process counts as at least as large as the one that started it,
and imports nothing for the same reason.
"""

import os
import sys
import time

if __name__ == "__main__":
    target, *command = sys.argv[1:]
    start = time.perf_counter()
    child = os.fork()
    if not child:
        output = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.execv(command[0], command)  # noqa: S606  (what is measured, and no shell)
    _child, status, used = os.wait4(child, 0)  # with those that it started itself
    kilobytes = used.ru_maxrss / (1 << 10 if sys.platform == "darwin" else 1)
    print(
        os.waitstatus_to_exitcode(status),
        used.ru_utime + used.ru_stime,
        kilobytes / (1 << 10),
        time.perf_counter() - start,
    )
