# SPDX-License-Identifier: Apache-2.0
# A Node service asks a partner over one connection, one question at a time; sixteen clients wait for it.
# shellcheck shell=bash
case_title() { echo "Node: one connection to a partner"; }
case_packages() { echo nodejs wrk gcc libc6-dev; }
case_fixed() { echo "eight connections"; }
case_vain() { echo "32 clients instead of 16"; }
case_prepare() { build_remote partner; }
case_start() {
  local connections=1
  [ "$variant" != fixed ] || connections=8
  serve "$work/partner" 21951 2 line
  wait_for_port 21951
  serve node "$case_dir/quotes.js" 21952 21951 $connections
  wait_for_port 21952
}
case_target() { echo "--pid ${served[1]}"; }
case_load() {
  local clients=16
  [ "$variant" != vain ] || clients=32
  wrk -t 1 -c $clients -d "$1" http://127.0.0.1:21952/ | awk '/^Requests\/sec/{print $2}'
}
case_whatif() { echo "--in-flight=node=8"; }
case_vain_whatif() { echo "--clients=wrk=2"; }
