# SPDX-License-Identifier: Apache-2.0
# Two threads sum the columns of a matrix that lies in memory row by row: each number is on another line of the cache. After each
# round both meet at a barrier, and a second, smaller limit is the log that one of them writes alone.
# shellcheck shell=bash
case_title() { echo "C: sums of columns, against the grain of memory"; }
case_packages() { echo gcc libc6-dev; }
case_fixed() { echo "row by row"; }
case_vain() { echo "four threads instead of two"; }
case_prepare() { gcc -O2 -g -pthread -o "$work/columns" "$case_dir/columns.c" && chmod 755 "$work/columns"; }
case_target() { echo "--comm columns"; }
case_load() {
  local how=columns threads=2
  [ "$variant" != fixed ] || how=rows
  [ "$variant" != vain ] || threads=4
  as_nobody "$work/columns" $how $threads "$1" "$work/log"
}
case_whatif() { echo "--function=sum_by_columns=0.1"; }
case_vain_whatif() { echo "--add-thread=columns=2"; }
