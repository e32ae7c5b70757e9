# SPDX-License-Identifier: Apache-2.0
# Two threads of a solver meet at a barrier after each step. After each fourth step the first writes a checkpoint and syncs it,
# and the other waits for it at the barrier.
# shellcheck shell=bash
case_title() { echo "A checkpoint between two barriers"; }
case_packages() { echo gcc libc6-dev; }
case_fixed() { echo "a thread of its own writes a copy of the grid"; }
case_vain() { echo "four threads instead of two"; }
case_prepare() { gcc -O2 -g -pthread -o "$work/solver" "$case_dir/solver.c" && chmod 755 "$work/solver"; }
case_job() {
  local how=between threads=2
  [ "$variant" != fixed ] || how=aside
  [ "$variant" != vain ] || threads=4
  "$work/solver" $how $threads 960 "$work/checkpoint"
}
case_whatif() { echo "--async=solver->disk $(disk_of "$work")"; }
case_vain_whatif() { echo "--add-thread=solver=2"; }
