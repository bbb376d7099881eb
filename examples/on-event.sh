#!/bin/sh
# Writes a line for each event: rollcall serve --on node-lost,node-returned -- examples/on-event.sh FILE
# The whole event is JSON on stdin; what most scripts need is in the environment. A script may run again for the
# same event, with the same id, so it looks first whether it has done its work.
set -eu
file=$1
grep -qs "^$ROLLCALL_EVENT_ID " "$file" && exit 0
echo "$ROLLCALL_EVENT_ID $ROLLCALL_EVENT_SEVERITY $ROLLCALL_EVENT_TYPE $ROLLCALL_EVENT_SUBJECT" >>"$file"
