#!/usr/bin/env bash
# Installs the Debian packages that the tests need and a fresh machine lacks. It needs root and leaves what is installed as it is.
# The image of the development container and `.ci/run` run it. It stands here because this folder is all that the build of the
# image sees. Node, Python, Go and kubectl are not in Debian 12 in the versions that the tests need: the Dockerfile brings them.
set -euo pipefail

if ! java -version >/dev/null 2>&1; then
  apt-get update -q && apt-get install -qy --no-install-recommends openjdk-17-jre-headless
fi

# A real systemd-logind for the agent's shutdowns: it runs on a bus of its own, so process 1 may be anything.
if ! [ -x /lib/systemd/systemd-logind ] || ! [ -x /usr/bin/dbus-daemon ] || ! /usr/bin/python3 -c 'import dbusmock' 2>/dev/null; then
  apt-get update -q && apt-get install -qy --no-install-recommends systemd dbus python3-dbusmock
fi

# What containers of the agent are made with: unshare, nsenter, setpriv, flock and setsid; mount and umount.
if ! type unshare nsenter setpriv flock setsid mount umount >/dev/null 2>&1; then
  apt-get update -q && apt-get install -qy --no-install-recommends util-linux mount
fi

# A containerd for pods of containers. Their images are made of busybox, and their networks by the plugins.
if ! type containerd ctr runc >/dev/null 2>&1 || ! [ -x /usr/lib/cni/bridge ] || ! dpkg -s busybox-static >/dev/null 2>&1; then
  apt-get update -q && apt-get install -qy --no-install-recommends containerd runc busybox-static containernetworking-plugins
fi

# What isolates containers of the images `host` and of folders: runc makes them, and conmon keeps them.
if ! type runc conmon >/dev/null 2>&1; then
  apt-get update -q && apt-get install -qy --no-install-recommends runc conmon
fi

# Shells whose completion is tested.
if ! type zsh fish >/dev/null 2>&1; then
  apt-get update -q && apt-get install -qy --no-install-recommends zsh fish
fi

# A browser for the dashboard's page.
if ! type chromium >/dev/null 2>&1; then
  apt-get update -q && apt-get install -qy --no-install-recommends chromium
fi
