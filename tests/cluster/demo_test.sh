#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scripts/demo-cluster records each node's own program on its node, and leaves nothing behind, even killed.
# usage: demo_test.sh DEMO_CLUSTER PROGRAMS
set -euo pipefail
demo=$1 programs=$2
[ "$(id -u)" = 0 ] || { echo "skipped: namespaces and recording need root"; exit 77; }
unshare --net --mount --cgroup --propagation unchanged true || { echo "skipped: namespaces may not be made here"; exit 77; }
grep -q ' cgroup2 ' /proc/mounts || { echo "skipped: no cgroup2 is mounted"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "demo_test: $*" >&2; exit 1; }
left_over() { # the processes that still run with the folder in their command lines
  local words
  for words in /proc/[0-9]*/cmdline; do
    { tr '\0' ' ' <"$words"; } 2>/dev/null | grep -F "$work/" | grep -vF demo_test || true
  done
}

"$demo" "$programs" "$work/run" 2 || fail "the demo failed"
[ "$(awk '{ print $1 }' "$work/run/answers")" -gt 0 ] || fail "nobody was answered"
# Others are there as far as they woke the node's own.
for pair in client:client front:frontend back:backend; do
  node=${pair%%:*} program=${pair##*:}
  most=$("$programs/gordian" dump "$work/run/recording/$node" --json |
    jq -r 'select(.kind == "switch") | .next_comm | select(. == "client" or . == "frontend" or . == "backend")' |
    sort | uniq -c | sort -rn | awk 'NR == 1 { print $2 }')
  [ "$most" = "$program" ] || fail "$node recorded $most most often, not its own $program"
done
[ -z "$(left_over)" ] || fail "still runs: $(left_over)"

# Killed in the middle it cannot clean up: the kernel does.
setsid "$demo" "$programs" "$work/killed" 600 >/dev/null 2>&1 &
pid=$!
until [ -d "$work/killed/front/state/sessions/demo" ]; do kill -0 $pid || fail "it ended before it recorded"; done
kill -KILL $pid
until [ -z "$(left_over)" ]; do :; done
wait $pid 2>/dev/null || true
cgroup_root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
until find "$cgroup_root/gordian-demo-$pid" -depth -type d -exec rmdir {} + 2>/dev/null; do :; done
