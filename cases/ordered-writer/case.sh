# SPDX-License-Identifier: Apache-2.0
# Sixteen threads encode records and write them in order: each waits for its turn on one condition variable, and whoever has
# written wakes all.
# shellcheck shell=bash
case_title() { echo "One condition variable for all turns"; }
case_packages() { echo g++; }
case_fixed() { echo "a condition variable for each thread"; }
case_vain() { echo "a checksum in half of the time"; }
case_prepare() { g++ -std=c++20 -O2 -g -fno-omit-frame-pointer -pthread -o "$work/journal" "$case_dir/journal.cc" && chmod 755 "$work/journal"; }
case_target() { echo "--comm journal"; }
case_load() {
  local variables=1 rounds=40
  [ "$variant" != fixed ] || variables=16
  [ "$variant" != vain ] || rounds=20
  as_nobody "$work/journal" "$1" $variables $rounds
}
case_whatif() { echo "--no-false-wakeups=journal"; }
case_vain_whatif() { echo "--function=checksum=0.5"; }
