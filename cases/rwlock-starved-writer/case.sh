# SPDX-License-Identifier: Apache-2.0
# Three readers hold a read-write lock while they ask a service (2 ms) and then rest for 0.5 to 1.5 ms. The lock prefers readers, so that the
# updater comes in when no reader happens to hold it.
# shellcheck shell=bash
case_title() { echo "A read-write lock whose writer starves"; }
case_packages() { echo g++ gcc libc6-dev; }
case_fixed() { echo "readers that copy what they need and let go"; }
case_vain() { echo "an update applied in half of the time"; }
case_prepare() {
  build_remote feed
  build_remote rates
  g++ -std=c++20 -O2 -g -fno-omit-frame-pointer -pthread -o "$work/table" "$case_dir/table.cc" && chmod 755 "$work/table"
}
case_start() {
  serve "$work/feed" 21813 1 line
  wait_for_port 21813
  serve "$work/rates" 21814 2 line
  wait_for_port 21814
}
case_target() { printf '%s\n' "--comm updater" "--comm reader"; }
case_load() {
  local held=held rounds=40000
  [ "$variant" != fixed ] || held=copied
  [ "$variant" != vain ] || rounds=20000
  as_nobody "$work/table" 21813 21814 $held $rounds "$1"
}
case_whatif() { echo "--lock=updater->reader"; }
case_vain_whatif() { echo "--run=updater=0.5"; }
