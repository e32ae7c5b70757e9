# SPDX-License-Identifier: Apache-2.0
# Two Python processes parse events and put each result into a multiprocessing queue; the parent takes them one by one.
# shellcheck shell=bash
case_title() { echo "Python: results through a queue, one by one"; }
case_packages() { echo python3; }
case_fixed() { echo "200 results in one item of the queue"; }
case_vain() { echo "four processes instead of two"; }
case_target() { echo "--comm totals.py"; }
case_load() {
  local together=1 processes=2
  [ "$variant" != fixed ] || together=200
  [ "$variant" != vain ] || processes=4
  as_nobody "$case_dir/totals.py" $processes $together "$1"
}
case_whatif() { printf '%s\n' "--function=recv_bytes=0.1" "--function=put=0.1"; }
case_vain_whatif() { echo "--add-thread=totals.py=2"; }
