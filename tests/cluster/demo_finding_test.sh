#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The demo's three nodes, seen as one: the first finding is the knot of the back end's thread and its disk, and the front end,
# which waits most of its time, is ruled out. Other users of this machine's CPUs would be told first: nothing may run beside it.
# usage: demo_finding_test.sh DEMO_CLUSTER PROGRAMS
set -euo pipefail
demo=$1 programs=$2
[ "$(id -u)" = 0 ] || { echo "skipped: namespaces and recording need root"; exit 77; }
unshare --net --mount --cgroup --propagation unchanged true || { echo "skipped: namespaces may not be made here"; exit 77; }
grep -q ' cgroup2 ' /proc/mounts || { echo "skipped: no cgroup2 is mounted"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$demo" "$programs" "$work/run" 4 >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
"$programs/gordian" analyze "$work/run/recording" --json "$work/report.json"
jq -e '
  . as $report
  | ([.vertices[] | {key: (.id | tostring), value: .}] | from_entries) as $vertices
  | .findings[0]
  | [.members[] | $vertices[tostring]] as $members
  | {
      kind,
      backend: any($members[]; .kind == "thread" and (.name | test("backend"))),
      disk: any($members[]; .kind == "disk"),
      frontend: any($members[]; .name | test("frontend|client")),
      ruled_out: any(.ruled_out[]; .what | test("frontend"))
    }
  | ., ((.kind == "knot" or .kind == "latency") and .backend and .disk and (.frontend | not) and .ruled_out)' "$work/report.json" || {
  "$programs/gordian" analyze "$work/run/recording" >&2
  exit 1
}
