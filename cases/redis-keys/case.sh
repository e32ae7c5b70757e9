# SPDX-License-Identifier: Apache-2.0
# A shop's pages count the visitors with KEYS session:*, which walks over all 20,000 keys in Redis' one thread. All else stands behind it.
# shellcheck shell=bash
case_title() { echo "Redis: KEYS in each page"; }
case_packages() { echo redis-server redis-tools python3; }
case_fixed() { echo "SCARD of a set of sessions"; }
case_vain() { echo "16 pages at a time instead of 8"; }
case_start() {
  serve redis-server --bind 127.0.0.1 --port 21721 --save ""
  wait_for_port 21721
  as_nobody python3 "$case_dir/pages.py" fill 21721
}
case_target() { echo "--pid ${served[0]}"; }
case_load() {
  local how=keys pages=8
  [ "$variant" != fixed ] || how="set"
  [ "$variant" != vain ] || pages=16
  as_nobody python3 "$case_dir/pages.py" $how 21721 $pages "$1"
}
case_whatif() { echo "--run=redis-server=0.05"; }
case_vain_whatif() { echo "--clients=pages.py=2"; }
