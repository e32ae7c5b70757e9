#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Three nodes that are asked for a slice tell what the collected recording tells: without a budget's pauses, and with them.
# usage: asked_slice_test.sh DEMO_CLUSTER PROGRAMS
set -euo pipefail
demo=$1 programs=$2
[ "$(id -u)" = 0 ] || { echo "skipped: namespaces and recording need root"; exit 77; }
unshare --net --mount --cgroup --propagation unchanged true || { echo "skipped: namespaces may not be made here"; exit 77; }
grep -q ' cgroup2 ' /proc/mounts || { echo "skipped: no cgroup2 is mounted"; exit 77; }
command -v jq >/dev/null || { echo "skipped: there is no jq"; exit 77; }
here=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The demo ends all that it began when it is told to end.
export DEMO_MAX_CPU=none
DEMO_START_OPTIONS="--budget none" timeout --kill-after=10 130 "$demo" "$programs" "$work/whole" 2 "" "$here/ask_nodes.sh"
export DEMO_MAX_CPU=2%
DEMO_START_OPTIONS="--budget 0.5%" timeout --kill-after=10 130 "$demo" "$programs" "$work/pauses" 2 "" "$here/ask_nodes.sh"
