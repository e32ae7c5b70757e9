#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# --only with a cgroup makes every program look ids up: kernels before 6.2 allow fewer places for the key than later ones,
# and would refuse to load them. Every backend must load, and record the threads of the groups below, which nobody named.
# usage: cgroup_targets_test.sh KERNEL GUEST_SCRIPT GORDIAN
set -euo pipefail
kernel=$1 guest=$2 gordian=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/record-group" <<'END'
mkdir -p /sys/fs/cgroup/group/below/deep /tmp/out
# New processes, which the programs see as they are born: in a group two levels below the one that is named.
sh -c 'echo $$ >/sys/fs/cgroup/group/below/deep/cgroup.procs; while :; do usleep 1000; done' &
loop=$!
for backend in tracepoint fentry kprobe; do
  gordian record --budget none -o /tmp/out/$backend --attach=$backend --only --cgroup group --duration 1s || exit 1
done
kill $loop
END

"$guest" "$kernel" --get /tmp/out --out "$work/out" --add "$gordian" --add "$work/record-group" -- sh /bin/record-group
for backend in tracepoint fentry kprobe; do
  switches=$("$gordian" dump "$work/out/tmp/out/$backend" --summary --json | jq '.events.switch // 0')
  echo "$backend: $switches switches"
  [ "$switches" -gt 0 ] || { echo "cgroup_targets_test: $backend recorded nothing" >&2; exit 1; }
done
