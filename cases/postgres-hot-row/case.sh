# SPDX-License-Identifier: Apache-2.0
# Eight clients add to one and the same row; its lock is held until the commit is on disk.
# shellcheck shell=bash
case_title() { echo "PostgreSQL: one hot row"; }
case_packages() { echo postgresql-15; }
case_fixed() { echo "the counter spread over 1,000 rows"; }
case_prepare() { postgres_init; }
case_start() {
  postgres_start
  [ -e "$work/spread.sql" ] || postgres_bench "create table counters (id int primary key, n bigint) with (fillfactor = 20);
    insert into counters select i, 0 from generate_series(1, 1000) i"
  echo "update counters set n = n + 1 where id = 1;" >"$work/hot.sql"
  printf '%s\n' '\set id random(1, 1000)' 'update counters set n = n + 1 where id = :id;' >"$work/spread.sql"
}
case_target() { postgres_target; }
case_load() {
  local script=hot
  [ "$variant" = plain ] || script=spread
  postgres_load "$1" 8 -f "$work/$script.sql"
}
case_whatif() { echo "--lock=@attack"; }
case_stop() { postgres_stop; }
