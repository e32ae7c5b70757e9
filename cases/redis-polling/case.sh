# SPDX-License-Identifier: Apache-2.0
# A worker looks for jobs in Redis and sleeps 5 ms when there is none.
# shellcheck shell=bash
case_title() { echo "Redis: a worker that polls"; }
case_packages() { echo redis-server python3; }
case_fixed() { echo "BLPOP instead of LPOP and sleep"; }
case_start() {
  local how=poll
  [ "$variant" = plain ] || how=block
  serve redis-server --bind 127.0.0.1 --port 21308 --save '' --appendonly no
  wait_for_port 21308
  serve python3 "$case_dir/worker.py" $how 21308
  sleep 0.3
}
case_load() { as_nobody python3 "$case_dir/worker.py" ask 21308 "$1"; }
case_whatif() { echo "--timer=@sleeper=0"; }
