#!/usr/bin/env bash
# Starts LocalStack on 127.0.0.1:$LS_PORT in the background and returns when it answers. With LS_OWNER=<pid> it stops
# again when that process is gone, however it ended.
set -euo pipefail
. "$(dirname "$0")/env.sh"

port_is_taken() { (exec 3<>"/dev/tcp/127.0.0.1/$LS_PORT") 2>/dev/null; }

# Ends with the instance, so that it never stops a later one on the same port.
watch_owner() {
  while kill -0 "$1"; do
    kill -0 "$LS_OWNER" || exec "$here/stop.sh"
    sleep 2
  done
}

[ -f "$LS_HOME/installed" ] || { echo "LocalStack is not set up: run setup.sh" >&2; exit 1; }
# LocalStack reports "Ready." even when it could not bind its port.
port_is_taken && { echo "port $LS_PORT is taken" >&2; exit 1; }

rm -rf "$LS_RUN"
mkdir -p "$TMPDIR" "$FILESYSTEM_ROOT/var/lib/localstack"
ln -s "$LS_HOME/lib" "$FILESYSTEM_ROOT/var/lib/localstack/lib"

set -m # background jobs in process groups of their own: Ctrl-C reaches the runner, which stops this in order
cd "$LS_RUN"
# Every process of the instance inherits the mark: stop.sh finds them by it.
ROLLCALL_INSTANCE=$LS_RUN "$LS_HOME/venv/bin/python" "$here/launch.py" </dev/null >localstack.log 2>&1 &
localstack=$!
ROLLCALL_INSTANCE=$LS_RUN "$ROLLCALL_LAMBDA_NODE" "$here/guard/guard.ts" "$LS_GUARD_PORT" </dev/null >guard.log 2>&1 &
echo "$localstack" >localstack.pid
if [ -n "${LS_OWNER:-}" ]; then watch_owner "$localstack" </dev/null >/dev/null 2>&1 & fi

"$LS_HOME/venv/bin/python" "$here/processes.py" await-ready "$LS_RUN" || {
  tail -20 localstack.log >&2
  "$here/stop.sh"
  exit 1
}
