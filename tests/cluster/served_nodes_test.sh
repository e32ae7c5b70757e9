#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# gordian serve shows three nodes by asking their daemons.
# usage: served_nodes_test.sh DEMO_CLUSTER PROGRAMS
set -euo pipefail
demo=$1 programs=$2
[ "$(id -u)" = 0 ] || { echo "skipped: namespaces and recording need root"; exit 77; }
unshare --net --mount --cgroup --propagation unchanged true || { echo "skipped: namespaces may not be made here"; exit 77; }
grep -q ' cgroup2 ' /proc/mounts || { echo "skipped: no cgroup2 is mounted"; exit 77; }
for program in curl jq; do command -v $program >/dev/null || { echo "skipped: there is no $program"; exit 77; }; done
here=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The demo ends all that it began when it is told to end.
DEMO_MAX_CPU=none DEMO_START_OPTIONS="--budget none" timeout --kill-after=10 200 "$demo" "$programs" "$work/run" 2 "" "$here/serve_nodes.sh"
