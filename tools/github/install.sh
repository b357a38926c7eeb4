#!/usr/bin/env bash
# Installs callscore into the Python of the job, for action.yml. VERSION and EXTRAS are its inputs.
set -euo pipefail

if ! command -v python > /dev/null; then
  echo "::error title=callscore::there is no Python. Add a step with actions/setup-python before this one."
  exit 1
fi

if [ "$VERSION" = installed ]; then
  if ! python -c 'import callscore'; then
    echo "::error title=callscore::callscore is not installed. Install it in a step before this one, or leave out version."
    exit 1
  fi
  exit 0
fi

# The Python of a system refuses packages; an environment of its own still finds what is installed there.
if python -c 'import sys, sysconfig as s; from pathlib import Path as P; sys.exit(sys.prefix != sys.base_prefix or not P(s.get_path("stdlib"), "EXTERNALLY-MANAGED").exists())'; then
  python -m venv --system-site-packages "$RUNNER_TEMP/callscore-python"
  if [ -d "$RUNNER_TEMP/callscore-python/Scripts" ]; then folder=Scripts; else folder=bin; fi
  export PATH="$RUNNER_TEMP/callscore-python/$folder:$PATH"
  echo "$RUNNER_TEMP/callscore-python/$folder" >> "$GITHUB_PATH"
fi

if [ -n "$VERSION" ]; then
  package="callscore${EXTRAS:+[$EXTRAS]}==$VERSION"
else
  package="$GITHUB_ACTION_PATH${EXTRAS:+[$EXTRAS]}"
fi
python -m pip install --quiet --disable-pip-version-check "$package"
python -m callscore --version
