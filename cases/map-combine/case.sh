# SPDX-License-Identifier: Apache-2.0
# A job of a shell counts the callers in twelve logs: two awk at a time pick the addresses out of each log, and then one sort puts all
# addresses in order, so that uniq can count them.
# shellcheck shell=bash
case_title() { echo "Map and reduce: sort alone does what the mappers could"; }
case_packages() { echo mawk coreutils findutils; }
case_fixed() { echo "the mappers count, and sort has only their sums"; }
case_vain() { echo "four awk at a time instead of two"; }
case_prepare() {
  mkdir "$work/logs" "$work/parts"
  local log
  for log in 01 02 03 04 05 06 07 08 09 10 11 12; do
    mawk -v seed="$log" 'BEGIN {
      srand(seed)
      for (n = 0; n < 300000; n++)
        printf "10.%d.%d.%d - - \"GET /articles/%d HTTP/1.1\" 200 %d\n", rand() * 4, rand() * 20, rand() * 20, rand() * 10000, rand() * 50000
    }' >"$work/logs/$log"
  done
}
case_units=12
case_job() {
  local at_a_time=2 program="$case_dir/pick.awk"
  [ "$variant" != fixed ] || program="$case_dir/count.awk"
  [ "$variant" != vain ] || at_a_time=4
  rm -f "$work"/parts/*
  # shellcheck disable=SC2016  # expanded by that shell
  find "$work/logs" -type f -print0 | xargs -0 -P $at_a_time -n 1 sh -c 'exec mawk -f "$1" "$3" >"$2/$(basename "$3")"' map "$program" "$work/parts"
  if [ "$variant" = fixed ]; then
    LC_ALL=C sort -k 2 "$work"/parts/* | mawk -f "$case_dir/add.awk"
  else
    LC_ALL=C sort --parallel=1 "$work"/parts/* | uniq -c
  fi >"$work/callers"
}
case_whatif() { echo "--run=sort=0.1"; }
case_vain_whatif() { echo "--add-thread=mawk=2"; }
