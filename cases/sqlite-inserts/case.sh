# SPDX-License-Identifier: Apache-2.0
# A program that writes each event to SQLite in a transaction of its own, so each waits for the disk.
# shellcheck shell=bash
case_title() { echo "SQLite: a transaction for each row"; }
case_packages() { echo python3; }
case_fixed() { echo "synchronous=off"; }
case_target() { echo "--comm python3"; }
case_load() {
  local synchronous=full
  [ "$variant" != fixed ] || synchronous=off
  as_nobody python3 "$case_dir/insert.py" "$1" "$work/events.db" $synchronous
}
case_whatif() { echo "--skip=@syncer->disk $(disk_of "$work")"; }
