# SPDX-License-Identifier: Apache-2.0
# An asyncio web service whose handler calls a blocking client of a ledger: the loop stands still meanwhile.
# shellcheck shell=bash
case_title() { echo "asyncio: a blocking call in a coroutine"; }
case_packages() { echo python3 wrk gcc libc6-dev; }
case_fixed() { echo "the call in one of sixteen threads"; }
case_vain() { echo "32 clients instead of 16"; }
case_prepare() { build_remote ledger; }
case_start() {
  serve "$work/ledger" 21441 4 line
  wait_for_port 21441
  serve python3 "$case_dir/shop.py" 21442 21441 "$variant"
  wait_for_port 21442
}
case_target() { echo "--pid ${served[1]}"; }
case_load() {
  local clients=16
  [ "$variant" != vain ] || clients=32
  wrk -t 1 -c $clients -d "$1" http://127.0.0.1:21442/ | awk '/^Requests\/sec/{print $2}'
}
case_whatif() { echo "--add-thread=python3=15"; }
case_vain_whatif() { echo "--in-flight=wrk=2"; }
