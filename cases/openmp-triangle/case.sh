# SPDX-License-Identifier: Apache-2.0
# Two OpenMP threads add over all pairs of points. The rows grow, and each thread has half of the rows: so one has three quarters
# of the pairs, and the other waits for it at the end of each loop.
# shellcheck shell=bash
case_title() { echo "OpenMP: a triangle dealt out in halves"; }
case_packages() { echo gcc libc6-dev; }
case_fixed() { echo "schedule(dynamic)"; }
case_vain() { echo "the first half of the rows from each second pair"; }
case_prepare() {
  gcc -O2 -g -fopenmp -o "$work/pairs" "$case_dir/pairs.c" -lm
  chmod 755 "$work/pairs"
}
case_target() { echo "--comm pairs"; }
case_load() { as_nobody env OMP_NUM_THREADS=2 "$work/pairs" "$variant" "$1"; }
case_whatif() { echo "--run=pairs-second=0.67"; }
case_vain_whatif() { echo "--run=pairs=0.5"; }
