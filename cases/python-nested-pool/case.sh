# SPDX-License-Identifier: Apache-2.0
# A pool of six threads. Five orders are under way; the task of each puts four tasks into the same pool, which ask a service (3 ms),
# and waits for them: one thread is left for these.
# shellcheck shell=bash
case_title() { echo "Python: tasks that wait for tasks of their own pool"; }
case_packages() { echo python3 gcc libc6-dev; }
case_fixed() { echo "a pool of twelve threads"; }
case_vain() { echo "a summary computed in half of the time"; }
case_prepare() { build_remote parts; }
case_start() {
  serve "$work/parts" 21812 3 line
  wait_for_port 21812
}
case_target() { echo "--comm orders.py"; }
case_load() {
  local threads=6 rows=400
  [ "$variant" != fixed ] || threads=12
  [ "$variant" != vain ] || rows=200
  as_nobody "$case_dir/orders.py" 21812 $threads $rows "$1"
}
case_whatif() { echo "--add-thread=orders.py=6"; }
case_vain_whatif() { echo "--run=orders.py=0.7"; }
