# SPDX-License-Identifier: Apache-2.0
# Four clients insert a row each and commit; every commit waits until the disk has the log.
# shellcheck shell=bash
case_title() { echo "PostgreSQL: every commit is synced"; }
case_packages() { echo postgresql-15; }
case_fixed() { echo "synchronous_commit=off"; }
case_prepare() { postgres_init; }
case_start() {
  local synchronous=on
  [ "$variant" = plain ] || synchronous=off
  postgres_start -c synchronous_commit=$synchronous
  [ -e "$work/insert.sql" ] || postgres_bench "create table log (text text)"
  echo "insert into log values ('a line of text');" >"$work/insert.sql"
}
case_target() { postgres_target; }
case_load() { postgres_load "$1" 4 -f "$work/insert.sql"; }
case_whatif() { echo "--skip=@syncer->disk $(disk_of "$work")"; }
case_stop() { postgres_stop; }
