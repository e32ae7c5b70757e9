# SPDX-License-Identifier: Apache-2.0
# A parser hands work to a pool of ten threads. Idle threads of the pool look for work for 200 ms before they go to sleep, and take the
# CPUs from the parser and from those that have work.
# shellcheck shell=bash
case_title() { echo "C++: idle threads of a pool spin"; }
case_packages() { echo g++ libc6-dev; }
case_fixed() { echo "idle threads sleep at once"; }
case_vain() { echo "twenty threads in the pool instead of ten"; }
case_prepare() { g++ -O2 -g -std=c++17 -pthread -o "$work/ingest" "$case_dir/ingest.cc" && chmod 755 "$work/ingest"; }
case_target() { echo "--comm ingest"; }
case_load() {
  local spin_us=200000 threads=10
  [ "$variant" != fixed ] || spin_us=0
  [ "$variant" != vain ] || threads=20
  as_nobody "$work/ingest" $threads $spin_us "$1"
}
case_whatif() { echo "--function=Pool::LookForWork=0"; }
case_vain_whatif() { echo "--add-thread=pool=10"; }
