#!/usr/bin/env bash
# Prints the path of Node 22.16, the oldest Node that the package supports. It is npm's package `node`, installed into a folder.
set -euo pipefail
folder="$(cd "$(dirname "$0")/../.." && pwd)/test-results/node-22.16"

if [ ! -x "$folder/node_modules/node/bin/node" ]; then
  npm install --silent --no-save --prefix "$folder" node@22.16.0 >&2
fi
echo "$folder/node_modules/node/bin/node"
