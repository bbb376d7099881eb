#!/bin/sh
# Makes this machine a node of Rollcall with a POSIX shell and curl (7.55 or newer). A call is one turn: it joins if it has to, sends a heartbeat,
# and does what the answer announces. Call it every ten seconds: by rollcall-beat.timer, or `while :; do ./beat.sh; sleep 10; done`.
# docs/machine-protocol.md explains the requests.
#
#   ROLLCALL_API              URL of the API (required)
#   ROLLCALL_HEARTBEAT        URL for heartbeats, if it is another one (on AWS and LocalStack); of several, with blanks between them, each
#                             stands in for the ones before it
#   ROLLCALL_CACERT           file of the certificate authority, if it is not a public one
#   ROLLCALL_BOOTSTRAP_TOKEN  file with a token of `rollcall token --bootstrap`; needed until the machine has joined
#   ROLLCALL_NODE             name of the node; default: the machine's own name
#   ROLLCALL_LABELS           labels of a new node: zone=a,rack=7
#   ROLLCALL_CAPACITY         what pods may take of a new node: cpu=4,memory=8Gi,pods=20; without it, no pod is scheduled here
#   ROLLCALL_STATE            folder of what must outlive a turn; default: /var/lib/rollcall-beat
#   ROLLCALL_HOOKS            folder with on-cordon, on-uncordon, on-evict, on-lost, on-found; default: /etc/rollcall/hooks
set -u
umask 077

API=${ROLLCALL_API:?set ROLLCALL_API to the URL of the API}
API=${API%/}
HEARTBEAT=${ROLLCALL_HEARTBEAT:-$API}
NODE=${ROLLCALL_NODE:-$(uname -n | tr '[:upper:]' '[:lower:]')}
STATE=${ROLLCALL_STATE:-/var/lib/rollcall-beat}
HOOKS=${ROLLCALL_HOOKS:-/etc/rollcall/hooks}
SELF=apis/rollcall.dev/v1/nodes/$NODE
LIST_EVERY=300       # seconds between two looks at the work, announced or not
REPEAT_AFTER=3       # seconds until a heartbeat that was not answered is repeated, once
INSTEAD_FOR=120      # seconds for which heartbeats go to the address that stood in
RENEW_EVERY=43200    # half of the time for which a token is valid

say() { echo "rollcall-beat: $*" >&2; }
fail() { say "$*"; exit 1; }

case $NODE in '' | *[!a-z0-9.-]*) fail "ROLLCALL_NODE: '$NODE' is no name of a node: use lower-case letters, digits, - and ." ;; esac
mkdir -p "$STATE/pods" || fail "ROLLCALL_STATE: cannot write to $STATE"

# Seconds that go on while the machine sleeps and do not jump when its clock is set.
seconds() { if [ -r /proc/uptime ]; then cut -d. -f1 </proc/uptime; else date +%s; fi; }
# What was stored under a name; nothing if there is nothing.
stored() { [ ! -f "$STATE/$1" ] || cat "$STATE/$1"; }
# Stores a text: the old one or the new one is there, whenever the power fails.
store() { printf '%s\n' "$2" >"$STATE/$1.new" && mv "$STATE/$1.new" "$STATE/$1"; }
# Seconds since an instant was stored. An instant from before the machine started does not count.
age() {
  at=$(stored "$1")
  if [ -n "$at" ] && [ "$at" -le "$(seconds)" ]; then echo $(($(seconds) - at)); else echo 999999999; fi
}
# The text of a member of the answer, which is JSON.
member() { sed -n 's/.*"'"$1"'": *"\{0,1\}\([^",}]*\).*/\1/p' "$STATE/answer" | head -n 1; }
# Why the server refused.
reason() { [ "$CODE" = 000 ] || sed -n 's/.*"message": *"\(.*\)".*/\1/p' "$STATE/answer" | head -n 1; }

# request FILE-WITH-TOKEN METHOD URL [BODY]: leaves the answer in $STATE/answer and its code in $CODE. Tokens never stand in the list of processes.
request() {
  printf 'header = "Authorization: Bearer %s"\n' "$(cat "$1")" >"$STATE/sender" || return 1
  CODE=$(curl -sS --connect-timeout 5 --max-time 20 ${ROLLCALL_CACERT:+--cacert "$ROLLCALL_CACERT"} -K "$STATE/sender" -X "$2" \
    -H 'Content-Type: application/json' ${4:+--data-binary "$4"} -o "$STATE/answer" -w '%{http_code}' "$3") || CODE=000
  [ "$CODE" -ge 200 ] && [ "$CODE" -lt 300 ]
}

refused() { fail "$1: $CODE $(reason)"; }

# Runs a hook beside the turns, so that heartbeats go on.
hook() {
  name=$1
  shift
  [ ! -x "$HOOKS/$name" ] || "$HOOKS/$name" "$@" </dev/null >>"$STATE/hooks.log" 2>&1 &
}

# The members of an object in JSON, of a=b,c=d.
members() { printf '%s' "$1" | sed 's/"//g; s/\([^=,]*\)=\([^,]*\)/"\1":"\2"/g'; }

take_token() {
  request "$1" POST "$API/$SELF/token" '{}' || return 1
  store token "$(member token)"
  store renewed-at "$(seconds)"
}

join() {
  bootstrap=${ROLLCALL_BOOTSTRAP_TOKEN:-}
  [ -r "$bootstrap" ] || fail "ROLLCALL_BOOTSTRAP_TOKEN: name a readable file with a token of: rollcall token --bootstrap"
  labels=$(members "${ROLLCALL_LABELS:-}")
  capacity=$(members "${ROLLCALL_CAPACITY:-}")
  # A Node that is made again keeps its pods in the same boot.
  boot=$(cat /proc/sys/kernel/random/boot_id 2>/dev/null)
  node='{"apiVersion":"v1","kind":"Node","metadata":{"name":"'$NODE'","labels":{'$labels'}},
    "status":{"capacity":{'$capacity'},"allocatable":{'$capacity'},"nodeInfo":{"bootID":"'$boot'"}}}'
  request "$bootstrap" POST "$API/api/v1/nodes" "$node" || [ "$CODE" = 409 ] || refused 'the node cannot be registered'
  take_token "$bootstrap" || refused 'no token for this node; an administrator can allow one: rollcall token --release '"$NODE"
}

lost() {
  [ "$(age beat-at)" -lt "$(stored grace)" ] || [ -f "$STATE/lost" ] || { store lost "$(seconds)" && hook on-lost "$NODE"; }
}

# Whether the control plane has answered: AWS answers for a URL that is gone, and a proxy in its own name.
is_status() { grep -q '"kind": *"Status"' "$STATE/answer" 2>/dev/null; }

# Sends a heartbeat to the first address that reaches the control plane.
send_beat() {
  instead=$(stored instead)
  # The settings may be others than when it stood in.
  case " $HEARTBEAT " in *" $instead "*) ;; *) instead= ;; esac
  [ "$(age instead-at)" -lt $INSTEAD_FOR ] || instead=
  for url in $instead $HEARTBEAT; do
    if request "$STATE/token" POST "${url%/}/$SELF/heartbeat" '{}'; then
      [ "$url" = "$instead" ] || { store instead "$url" && store instead-at "$(seconds)"; }
      return 0
    fi
    case $CODE in
      000 | 5??) ;;
      429) return 1 ;;
      *)
        ! is_status || return 1
        say "$url is no control plane: it answered $CODE"
        CODE=000
        ;;
    esac
  done
  return 1
}

# Whether the heartbeat may be answered if it is repeated.
is_passing() { case $CODE in 000 | 429 | 5??) ;; *) return 1 ;; esac }

beat() {
  if send_beat || { is_passing && sleep $REPEAT_AFTER && send_beat; }; then
    ANNOUNCED=$(member workRevision)
    store grace "$(member graceSeconds)"
    store beat-at "$(seconds)"
    [ ! -f "$STATE/lost" ] || { rm -f "$STATE/lost" && hook on-found "$NODE"; }
    return 0
  fi
  [ -z "$(stored grace)" ] || lost
  # As a kubelet does, it leaves a Node deleted that somebody deleted.
  case $CODE in 401 | 404) say "to join again, remove $STATE/token" ;; esac
  fail "no heartbeat: $CODE $(reason)"
}

confirm() {
  pod='{"namespace":"'$1'","name":"'$2'","uid":"'$3'","gone":true}'
  request "$STATE/token" POST "$API/$SELF/work" '{"pods":['"$pod"']}' || return 1
  # 404 and 409: this pod has gone already.
  case $(member code) in 200 | 404 | 409) rm -f "$STATE/pods/$3".* ;; *) return 1 ;; esac
}

# A pod that is being deleted: its hook runs once at a time, and again if it failed or was killed. When it succeeded, the pod goes.
end_pod() {
  job=$STATE/pods/$3
  if [ ! -f "$job.done" ] && [ -x "$HOOKS/on-evict" ]; then
    [ -f "$job.pid" ] && kill -0 "$(cat "$job.pid")" 2>/dev/null && return 1
    { "$HOOKS/on-evict" "$@" </dev/null >>"$STATE/hooks.log" 2>&1 && : >"$job.done"; } &
    echo $! >"$job.pid"
    return 1
  fi
  confirm "$1" "$2" "$3"
}

cordon() {
  [ "$1" != "$(stored cordoned)" ] || return 0
  if [ "$1" = true ]; then hook on-cordon "$NODE"; elif [ -n "$(stored cordoned)" ]; then hook on-uncordon "$NODE"; fi
  store cordoned "$1"
}

# Leaves all lines about the work in $STATE/work: an answer that ends with `continue TOKEN` is followed by another one.
read_work() {
  page='' && : >"$STATE/work.new"
  while :; do
    request "$STATE/token" GET "$API/$SELF/work?output=text$page" || refused 'the work of this node cannot be read'
    cat "$STATE/answer" >>"$STATE/work.new"
    set -- $(tail -n 1 "$STATE/answer")
    case ${1:-} in
      complete) break ;;
      continue) page="&continue=$2" ;;
      *) fail 'the answer about the work of this node was cut' ;;
    esac
  done
  mv "$STATE/work.new" "$STATE/work"
}

work() {
  if [ "$ANNOUNCED" = "$(stored revision)" ] && [ "$(age listed-at)" -lt $LIST_EVERY ]; then return 0; fi
  read_work
  left=0
  while read -r what namespace name uid grace; do
    case $what in
      cordoned) cordon "$namespace" ;;
      end) case $uid in *[!A-Za-z0-9-]*) ;; *) end_pod "$namespace" "$name" "$uid" "$grace" || left=1 ;; esac ;;
    esac
  done <"$STATE/work"
  # While pods are left, the next turn looks again.
  if [ $left = 0 ]; then store revision "$(sed -n 's/^revision //p' "$STATE/work" | head -n 1)"; else rm -f "$STATE/revision"; fi
  store listed-at "$(seconds)"
}

[ -s "$STATE/token" ] || join
beat
[ "$(age renewed-at)" -lt $RENEW_EVERY ] || take_token "$STATE/token" || say "the token cannot be renewed: $CODE $(reason)"
work
