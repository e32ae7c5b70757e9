# SPDX-License-Identifier: Apache-2.0
# Puma with two workers of one thread each; a page asks a price service that answers after 8 ms.
# shellcheck shell=bash
case_title() { echo "Puma: two workers of one thread"; }
case_packages() { echo puma ruby wrk gcc libc6-dev; }
case_fixed() { echo "eight threads in each worker"; }
case_vain() { echo "a page rendered in a fifth of the time"; }
case_prepare() { build_remote prices; }
case_start() {
  local threads=1 rows=400
  [ "$variant" != fixed ] || threads=8
  [ "$variant" != vain ] || rows=80
  serve "$work/prices" 21731 8 line
  wait_for_port 21731
  serve env HOME="$work" PRICES_PORT=21731 ROWS=$rows puma -q -e production -w 2 -t $threads:$threads -b tcp://127.0.0.1:21732 "$case_dir/shop.ru"
  wait_for_port 21732
}
case_target() { echo "--pid ${served[1]}"; }
case_load() { wrk -t 1 -c 16 -d "$1" http://127.0.0.1:21732/ | awk '/^Requests\/sec/{r=$2}/Non-2xx/{bad=1}END{print bad ? "bad" : r}'; }
case_whatif() { echo "--add-thread=puma srv tp 001=14"; }
case_vain_whatif() { echo "--run=puma srv tp 001=0.2"; }
