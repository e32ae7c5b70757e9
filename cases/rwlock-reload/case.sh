# SPDX-License-Identifier: Apache-2.0
# Eight threads look prices up under a read lock; a reloader holds the write lock while it asks for the next list.
# shellcheck shell=bash
case_title() { echo "A read-write lock held while a list is fetched"; }
case_packages() { echo g++ libc6-dev; }
case_fixed() { echo "the list fetched before the lock is taken"; }
case_vain() { echo "the list parsed in half of the time"; }
case_prepare() {
  build_remote lists
  g++ -O2 -g -pthread -o "$work/prices" "$case_dir/prices.cc"
  chmod 755 "$work/prices"
}
case_start() {
  serve "$work/lists" 21451 8 line
  wait_for_port 21451
  serve "$work/lists" 21452 2 line
  wait_for_port 21452
}
case_target() { echo "--comm prices"; }
case_load() { as_nobody "$work/prices" "$1" "$variant"; }
case_whatif() { echo "--lock=lookup->reloader"; }
case_vain_whatif() { echo "--run=reloader=0.5"; }
