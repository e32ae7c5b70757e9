# SPDX-License-Identifier: Apache-2.0
# Eight workers take jobs from one channel, whose receiver is in a mutex. "while let" keeps the guard until the job is done.
# shellcheck shell=bash
case_title() { echo "Rust: a guard kept for the whole job"; }
case_packages() { echo rustc gcc libc6-dev; }
case_fixed() { echo "the guard dropped before the job"; }
case_vain() { echo "32 workers instead of 8"; }
case_prepare() {
  build_remote labels
  rustc --edition 2021 -O -g -o "$work/printer" "$case_dir/printer.rs" && chmod 755 "$work/printer"
}
case_start() {
  serve "$work/labels" 21621 4 line
  wait_for_port 21621
}
case_target() { echo "--comm printer"; }
case_load() {
  local workers=8 guard=kept
  [ "$variant" != fixed ] || guard=dropped
  [ "$variant" != vain ] || workers=32
  as_nobody "$work/printer" 21621 $workers $guard "$1"
}
case_whatif() { echo "--lock=worker->worker"; }
case_vain_whatif() { echo "--add-thread=worker=24"; }
