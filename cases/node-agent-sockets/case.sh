# SPDX-License-Identifier: Apache-2.0
# A Node service asks a price service for each request, through an agent that may have two connections. Prices take 5 ms.
# shellcheck shell=bash
case_title() { echo "Node: an agent with two sockets"; }
case_packages() { echo nodejs wrk gcc libc6-dev; }
case_fixed() { echo "maxSockets: 16"; }
case_vain() { echo "a page of half as many rows"; }
case_prepare() { build_remote prices; }
case_start() {
  local sockets=2 rows=200
  [ "$variant" != fixed ] || sockets=16
  [ "$variant" != vain ] || rows=100
  serve "$work/prices" 21805 5 http
  wait_for_port 21805
  serve node "$case_dir/basket.js" 21806 21805 $sockets $rows
  wait_for_port 21806
}
case_target() { echo "--pid ${served[1]}"; }
case_load() { wrk -t 1 -c 16 -d "$1" http://127.0.0.1:21806/ | awk '/^Requests\/sec/{print $2}'; }
case_whatif() { echo "--in-flight=node=8"; }
case_vain_whatif() { echo "--run=node=0.7"; }
