# SPDX-License-Identifier: Apache-2.0
# A shell script reads a log line by line and starts cut and sed for each line.
# shellcheck shell=bash
case_title() { echo "Shell: programs started for each line of a log"; }
case_packages() { echo bash sed coreutils mawk; }
case_fixed() { echo "one awk for all lines"; }
case_vain() { echo "the log in memory instead of on the disk"; }
case_units=1000
case_prepare() {
  awk -v lines=$case_units 'BEGIN {
    srand(1)
    for (i = 0; i < lines; i++) printf "2024-01-01T00:00:%02d GET user%d /page/%d bytes=%d status=200\n", i % 60, rand() * 50, rand() * 1000, rand() * 100000
  }' >"$work/log"
}
case_job() {
  local log=$work/log
  case $variant in
    fixed) awk -f "$case_dir/sums.awk" "$log" | sort >"$work/sums" ;;
    vain)
      log=/dev/shm/gordian-case-log
      cp "$work/log" "$log"
      bash "$case_dir/sums.sh" "$log" >"$work/sums"
      rm "$log"
      ;;
    *) bash "$case_dir/sums.sh" "$log" >"$work/sums" ;;
  esac
}
case_vain_whatif() { echo "--scale=disk $(disk_of "$work")=0"; }
case_stop() { rm -f /dev/shm/gordian-case-log; }
