# SPDX-License-Identifier: Apache-2.0
# A Rust service with eight threads is bound to CPU 0 (a setting left from another machine), and so is another program, which computes
# all the time. CPU 1 has little to do.
# shellcheck shell=bash
case_title() { echo "Rust: a service bound to one CPU"; }
case_packages() { echo rustc gcc libc6-dev wrk util-linux perl; }
case_fixed() { echo "the service may use all CPUs"; }
case_vain() { echo "32 connections and threads instead of eight"; }
case_prepare() { rustc --edition 2021 -O -g -o "$work/quotes" "$case_dir/quotes.rs" && chmod 755 "$work/quotes"; }
case_start() {
  local cpus=0
  [ "$variant" != fixed ] || cpus=0,1
  # shellcheck disable=SC2016  # expanded by perl
  serve taskset -c 0 perl -e '1 while $i++ < 1e12'
  serve taskset -c $cpus "$work/quotes" 21940
  wait_for_port 21940
}
case_target() { echo "--pid ${served[1]}"; }
case_load() {
  local connections=8
  [ "$variant" != vain ] || connections=32
  wrk -t 1 -c $connections -d "$1" http://127.0.0.1:21940/ | awk '/^Requests\/sec/{print $2}'
}
case_whatif() { echo "--cpus=2"; }
case_vain_whatif() { echo "--clients=wrk=4"; }
