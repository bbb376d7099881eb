#!/usr/bin/env bash
# Kills LocalStack on $LS_PORT with everything it started. Its log stays in $LS_RUN.
set -euo pipefail
. "$(dirname "$0")/env.sh"

[ -d "$LS_RUN" ] || exit 0
"$LS_HOME/venv/bin/python" "$here/processes.py" stop "$LS_RUN"
rm -rf "$LS_RUN"/{tmp,fs,localstack.pid}
