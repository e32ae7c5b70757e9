# SPDX-License-Identifier: Apache-2.0
# Producers hand records to a batcher and wait until they are stored; it waits 5 ms for a batch to fill, which never does.
# shellcheck shell=bash
case_title() { echo "A batcher that lingers"; }
case_packages() { echo g++ libc6-dev; }
case_fixed() { echo "linger of 0: send what is there"; }
case_vain() { echo "three batchers instead of one"; }
case_prepare() {
  build_remote broker
  g++ -O2 -g -pthread -o "$work/feed" "$case_dir/feed.cc"
  chmod 755 "$work/feed"
}
case_start() {
  serve "$work/broker" 21541 1 line
  wait_for_port 21541
}
case_target() { echo "--comm feed"; }
case_load() {
  local linger_us=5000 batchers=1
  [ "$variant" != fixed ] || linger_us=0
  [ "$variant" != vain ] || batchers=3
  as_nobody "$work/feed" "$1" $linger_us $batchers
}
case_whatif() { echo "--timer=batcher=0"; }
case_vain_whatif() { echo "--add-thread=batcher=2"; }
