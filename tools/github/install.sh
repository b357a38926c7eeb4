#!/usr/bin/env bash
# Installs callscore into the Python of the job, for action.yml. VERSION and EXTRAS are its inputs.
# The current folder is that of a pull request: -P and -E keep its modules out, and pip starts more Pythons.
set -euo pipefail
unset PYTHONPATH

if ! command -v python > /dev/null; then
  echo "::error title=callscore::there is no Python. Add a step with actions/setup-python before this one."
  exit 1
fi

if ! python -I -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  echo "::error title=callscore::callscore needs Python 3.11 or newer. Set python-version in a step with actions/setup-python."
  exit 1
fi

if [ "$VERSION" = installed ]; then
  if ! python -P -E -c 'import callscore'; then
    echo "::error title=callscore::callscore is not installed. Install it in a step before this one, or leave out version."
    exit 1
  fi
  exit 0
fi

# The Python of a system refuses packages; an environment of its own still finds what is installed there.
if python -P -E -c 'import sys, sysconfig as s; from pathlib import Path as P; sys.exit(sys.prefix != sys.base_prefix or not P(s.get_path("stdlib"), "EXTERNALLY-MANAGED").exists())'; then
  python -P -E -m venv --system-site-packages "$RUNNER_TEMP/callscore-python"
  if [ -d "$RUNNER_TEMP/callscore-python/Scripts" ]; then folder=Scripts; else folder=bin; fi
  export PATH="$RUNNER_TEMP/callscore-python/$folder:$PATH"
  echo "$RUNNER_TEMP/callscore-python/$folder" >> "$GITHUB_PATH"
fi

if [ -n "$VERSION" ]; then
  package="callscore${EXTRAS:+[$EXTRAS]}==$VERSION"
else
  package="$GITHUB_ACTION_PATH${EXTRAS:+[$EXTRAS]}"
fi
python -P -E -m pip install --quiet --disable-pip-version-check "$package"
python -P -E -m callscore --version
