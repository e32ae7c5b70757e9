# SPDX-License-Identifier: Apache-2.0
# Redis syncs its append-only file after each turn of its loop.
# shellcheck shell=bash
case_title() { echo "Redis: appendfsync always"; }
case_packages() { echo redis-server redis-tools; }
case_fixed() { echo "appendfsync everysec"; }
case_vain() { echo "a second thread of the client"; }
case_start() {
  local sync=always
  [ "$variant" != fixed ] || sync=everysec
  rm -rf "$work/appendonlydir"
  serve redis-server --port 21511 --save '' --dir "$work" --appendonly yes --appendfsync $sync
  wait_for_port 21511
}
case_load() {
  local threads=()
  [ "$variant" != vain ] || threads=(--threads 2)
  as_nobody timeout -s INT "$1" redis-benchmark -p 21511 "${threads[@]}" -c 8 -n 100000000 -t set -r 1000 >/dev/null 2>&1 &
  local load=$!
  local from to begin_ns
  from=$(redis-cli -p 21511 info stats | awk -F: '/total_commands_processed/{print $2 + 0}')
  begin_ns=$(date +%s%N)
  wait $load || true # timeout ends it: that is its way to end, and the server counts what was done
  to=$(redis-cli -p 21511 info stats | awk -F: '/total_commands_processed/{print $2 + 0}')
  awk -v n=$((to - from)) -v ns=$(($(date +%s%N) - begin_ns)) 'BEGIN{print n * 1e9 / ns}'
}
case_whatif() { echo "--skip=redis-server->disk $(disk_of "$work")"; }
case_vain_whatif() { echo "--add-thread=redis-benchmark=1"; }
