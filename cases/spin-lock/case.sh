# SPDX-License-Identifier: Apache-2.0
# Eight threads count words in a table under a spin lock. When the scheduler takes the CPU from the holder, all others spin.
# shellcheck shell=bash
case_title() { echo "A spin lock with more threads than CPUs"; }
case_packages() { echo g++; }
case_fixed() { echo "a mutex"; }
case_vain() { echo "twice as many threads"; }
case_prepare() { g++ -std=c++20 -O2 -g -fno-omit-frame-pointer -pthread -o "$work/counter" "$case_dir/counter.cc" && chmod 755 "$work/counter"; }
case_target() { echo "--comm counter"; }
case_load() {
  local lock=spin threads=8
  [ "$variant" != fixed ] || lock=mutex
  [ "$variant" != vain ] || threads=16
  as_nobody "$work/counter" "$1" $lock $threads
}
case_whatif() { echo "--function=pthread_spin_lock=0"; }
case_vain_whatif() { echo "--add-thread=counter=8"; }
