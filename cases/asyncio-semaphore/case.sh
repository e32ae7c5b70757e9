# SPDX-License-Identifier: Apache-2.0
# An asyncio service asks a partner (10 ms) for each request; a semaphore lets four of them do so at a time. All of it is one thread.
# Another program computes on one of the CPUs.
# shellcheck shell=bash
case_title() { echo "asyncio: a semaphore of four around a slow call"; }
case_packages() { echo python3 wrk perl gcc libc6-dev; }
case_fixed() { echo "a semaphore of 32"; }
case_vain() { echo "a page of a tenth of the rows"; }
case_prepare() { build_remote partner; }
case_start() {
  local permits=4 rows=40
  [ "$variant" != fixed ] || permits=32
  [ "$variant" != vain ] || rows=4
  # shellcheck disable=SC2016  # expanded by perl
  serve perl -e '1 while $i++ < 1e12'
  serve "$work/partner" 21935 10 line
  wait_for_port 21935
  serve "$case_dir/offers.py" 21936 21935 $permits $rows
  wait_for_port 21936
}
case_target() { echo "--pid ${served[2]}"; }
case_load() { wrk -t 1 -c 32 -d "$1" http://127.0.0.1:21936/ | awk '/^Requests\/sec/{print $2}'; }
case_whatif() { echo "--in-flight=offers.py=8"; }
case_vain_whatif() { echo "--run=offers.py=0.5"; }
