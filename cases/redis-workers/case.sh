# SPDX-License-Identifier: Apache-2.0
# A queue of jobs in Redis with two workers; for each job a worker asks a service that answers after 6 ms. Sixteen callers wait
# for their answers.
# shellcheck shell=bash
case_title() { echo "Redis: two workers take jobs from a queue"; }
case_packages() { echo redis-server redis-tools python3 gcc libc6-dev; }
case_fixed() { echo "twelve workers"; }
case_vain() { echo "four threads of Redis for its connections"; }
case_prepare() { build_remote thumbnails; }
case_start() {
  local workers=2 io=1 number
  [ "$variant" != fixed ] || workers=12
  [ "$variant" != vain ] || io=4
  serve "$work/thumbnails" 21751 6 line
  wait_for_port 21751
  serve redis-server --bind 127.0.0.1 --port 21752 --save '' --appendonly no --io-threads $io
  wait_for_port 21752
  for ((number = 0; number < workers; number++)); do serve "$case_dir/jobs.py" work 21752 21751; done
  until [ "$(redis-cli -p 21752 client list | grep -c cmd=blpop)" = $workers ]; do sleep 0.1; done
}
case_target() {
  local pid
  for pid in "${served[@]:1}"; do echo "--pid $pid"; done
}
case_load() { as_nobody "$case_dir/jobs.py" ask 21752 "$1"; }
case_whatif() { echo "--add-thread=jobs.py=10"; }
case_vain_whatif() { echo "--add-thread=redis-server=3"; }
