#!/usr/bin/env bash
# Prints the path of kubectl 1.20, the oldest one tested: the one of Debian 12, unpacked into a folder instead of
# installed, where it would take the place of a newer kubectl.
set -euo pipefail
folder="$(cd "$(dirname "$0")/../../.." && pwd)/test-results/kubectl-1.20"

if [ ! -x "$folder/usr/bin/kubectl" ]; then
  mkdir -p "$folder/package"
  cd "$folder/package"
  apt-get download -q kubernetes-client >&2 || { apt-get update -q >&2 && apt-get download -q kubernetes-client >&2; }
  dpkg -x ./kubernetes-client_*.deb "$folder"
fi
echo "$folder/usr/bin/kubectl"
