# SPDX-License-Identifier: Apache-2.0
# Eight workers take jobs from a queue in SQLite. Each claim and each end of a job is a transaction with its syncs, under the one lock
# of the file; whoever finds it locked sleeps for a while and tries again.
# shellcheck shell=bash
case_title() { echo "SQLite: a job queue for eight workers"; }
case_packages() { echo python3 gcc libc6-dev; }
case_fixed() { echo "journal_mode=wal, synchronous=normal"; }
case_vain() { echo "a page cache of 200 MB instead of 2"; }
case_prepare() { build_remote mailer; }
case_start() {
  local mode=delete
  [ "$variant" != fixed ] || mode=wal
  serve "$work/mailer" 21701 3 line
  wait_for_port 21701
  rm -f "$work"/jobs.db*
  as_nobody python3 "$case_dir/jobs.py" fill "$work/jobs.db" $mode
}
case_target() { echo "--comm python3"; }
case_load() {
  local mode=delete cache_mb=2
  [ "$variant" != fixed ] || mode=wal
  [ "$variant" != vain ] || cache_mb=200
  as_nobody python3 "$case_dir/jobs.py" work "$work/jobs.db" $mode 21701 8 "$1" $cache_mb
}
case_whatif() { echo "--skip=python3->disk $(disk_of "$work")"; }
case_vain_whatif() { echo "--run=python3=0.8"; }
