# SPDX-License-Identifier: Apache-2.0
# One client asks Redis, waits for the answer, and asks again.
# shellcheck shell=bash
case_title() { echo "Redis: one request at a time"; }
case_packages() { echo redis-server redis-tools; }
case_fixed() { echo "sixteen requests in a pipeline"; }
case_start() {
  serve redis-server --port 21379 --save '' --dir "$work"
  wait_for_port 21379
}
case_load() {
  local pipeline=1
  [ "$variant" != fixed ] || pipeline=16
  as_nobody timeout -s INT "$1" redis-benchmark -p 21379 -c 1 -P $pipeline -n 100000000 -t get -r 1000 >/dev/null 2>&1 &
  local load=$!
  local from to begin_ns
  from=$(redis-cli -p 21379 info stats | awk -F: '/total_commands_processed/{print $2 + 0}')
  begin_ns=$(date +%s%N)
  wait $load || true # timeout ends it: that is its way to end, and the server counts what was done
  to=$(redis-cli -p 21379 info stats | awk -F: '/total_commands_processed/{print $2 + 0}')
  awk -v n=$((to - from)) -v ns=$(($(date +%s%N) - begin_ns)) 'BEGIN{print n * 1e9 / ns}'
}
case_whatif() { echo "--in-flight=redis-benchmark=16"; }
