# SPDX-License-Identifier: Apache-2.0
# An Erlang service whose pages are all computed by one server process; the processes of its connections wait for its answer.
# shellcheck shell=bash
case_title() { echo "Erlang: one server process computes all"; }
case_packages() { echo erlang-base wrk; }
case_fixed() { echo "each connection's process computes its own pages"; }
case_vain() { echo "eight schedulers instead of two"; }
case_prepare() { erlc -o "$work" "$case_dir/tariffs.erl" && chmod 644 "$work"/*.beam; }
case_start() {
  local how=server schedulers=2
  [ "$variant" != fixed ] || how=caller
  [ "$variant" != vain ] || schedulers=8
  serve env HOME="$work" erl +S "$schedulers:$schedulers" +sbwt none -noshell -pa "$work" -s tariffs start 21841 $how 100000
  wait_for_port 21841
}
case_target() { echo "--pid ${served[0]}"; }
case_load() { wrk -t 1 -c 16 -d "$1" http://127.0.0.1:21841/ | awk '/^Requests\/sec/{print $2}'; }
case_whatif() { echo "--add-thread=erts_sched_*=2"; }
case_vain_whatif() { echo "--cpus=8"; }
