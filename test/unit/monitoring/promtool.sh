#!/usr/bin/env bash
# Prints the path of promtool: the one of Debian's prometheus, unpacked into a folder instead of installed, because
# nobody needs the server.
set -euo pipefail
folder="$(cd "$(dirname "$0")/../../.." && pwd)/test-results/prometheus"

if [ ! -x "$folder/usr/bin/promtool" ]; then
  mkdir -p "$folder/package"
  cd "$folder/package"
  apt-get download -q prometheus >&2 || { apt-get update -q >&2 && apt-get download -q prometheus >&2; }
  dpkg -x ./prometheus_*.deb "$folder"
fi
echo "$folder/usr/bin/promtool"
